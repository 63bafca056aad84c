#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_lists.py BUNDLE: hashes of SPDX 2.3 (7.9 and 8.4), and what the manifest asks of a machine, by other programs."""
import hashlib
import json
import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
spdx = json.loads((folder / "sbom.spdx.json").read_text())
sha1s = []
for file in spdx["files"]:
    data = (folder / file["fileName"]).read_bytes()
    found = {sum["algorithm"]: sum["checksumValue"] for sum in file["checksums"]}
    assert found == {"SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()}, file
    sha1s.append(found["SHA1"])
bundle, = (one for one in spdx["packages"] if one["SPDXID"] == "SPDXRef-Bundle")
code = bundle["packageVerificationCode"]
assert code["packageVerificationCodeValue"] == hashlib.sha1("".join(sorted(sha1s)).encode()).hexdigest()
listed = {file["fileName"] for file in spdx["files"]} | set(code["packageVerificationCodeExcludedFiles"])
if not (folder / "SHA256SUMS.sig").exists():  # whether it is signed is not known when the list is made
    listed.remove("./SHA256SUMS.sig")
there = {"./" + path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
assert listed == there, listed ^ there
needs = json.loads((folder / "manifest.json").read_text())["variants"][0]["requires"]
assert needs["glibc"] == "2.17" and needs["glibcxx"].startswith("3.4."), needs
segments = subprocess.run(["readelf", "-lW", *folder.glob("model/*.so")], capture_output=True, text=True).stdout
aligned = [int(line.split()[-1], 16) for line in segments.splitlines() if line.split()[:1] == ["LOAD"]]
assert needs["max_page_size"] == min(aligned + [65536]), (needs, aligned)
