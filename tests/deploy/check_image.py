#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds an image against the OCI's image layout and unpacks it: check_image.py IMAGE.tar FOLDER.

Prints "ARCHITECTURE ENTRY-POINT" of each machine; its files lie below FOLDER/ARCHITECTURE then."""
import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path

OCI = "application/vnd.oci.image."


def main(image, folder):
    with tarfile.open(image, "r:") as tar:
        assert all(member.isfile() and member.uid == member.gid == 0 for member in tar)
        files = {member.name: tar.extractfile(member).read() for member in tar}
    used = {"oci-layout", "index.json", "manifest.json"}
    assert json.loads(files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}

    def blob(descriptor, kind):
        assert descriptor["mediaType"] == OCI + kind, descriptor
        algorithm, digest = descriptor["digest"].split(":")
        path = f"blobs/{algorithm}/{digest}"
        used.add(path)
        content = files[path]
        assert algorithm == "sha256" and hashlib.sha256(content).hexdigest() == digest
        assert len(content) == descriptor["size"]
        return content

    index = json.loads(files["index.json"])
    assert index["schemaVersion"] == 2 and len(index["manifests"]) == 1
    named = index["manifests"][0]
    assert named["annotations"]["org.opencontainers.image.ref.name"]
    images = [named]
    if named["mediaType"] == OCI + "index.v1+json":
        images = json.loads(blob(named, "index.v1+json"))["manifests"]
        assert len(images) > 1
    for descriptor in images:
        manifest = json.loads(blob(descriptor, "manifest.v1+json"))
        configuration = json.loads(blob(manifest["config"], "config.v1+json"))
        architecture = configuration["architecture"]
        assert descriptor["platform"] == {"architecture": architecture, "os": configuration["os"]}
        [layer] = manifest["layers"]
        content = blob(layer, "layer.v1.tar")
        assert configuration["rootfs"] == {"type": "layers", "diff_ids": [layer["digest"]]}
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as tar:
            assert all(member.isfile() and not Path(member.name).is_absolute() for member in tar)
            tar.extractall(Path(folder) / architecture)
        [entry] = configuration["config"]["Entrypoint"]
        print(architecture, entry)
    saved = json.loads(files["manifest.json"])[0]
    assert saved["Config"] in files and all(layer in files for layer in saved["Layers"])
    assert used == set(files), "a file of nothing"


main(*sys.argv[1:])
