#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes runtime.json into a runtime package: its versions, its floor, and size and hash of each file.

The floor is what the shared library asks of the system that it runs on: the newest version of each set of symbols
(GLIBC, GLIBCXX, CXXABI, GCC) that it needs, as the linker wrote it into the library.
"""
import argparse
import hashlib
import json
import re
import subprocess
from pathlib import Path


def version_key(text):
    return [int(part) for part in text.split(".")]


def floor_of(readelf, library):
    """{"GLIBC": "2.17", …} of what `library` needs."""
    text = subprocess.run([readelf, "--version-info", library], check=True, capture_output=True, text=True).stdout
    needs = text[text.index("version needs"):] if "version needs" in text else text[text.index(".gnu.version_r"):]
    floor = {}
    for name, version in re.findall(r"Name: ([A-Z]+)_([0-9.]+)", needs):
        if name not in floor or version_key(version) > version_key(floor[name]):
            floor[name] = version
    return floor


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for option in ("--version", "--triple", "--readelf"):
        parser.add_argument(option, required=True)
    parser.add_argument("--abi", type=int, required=True)
    args = parser.parse_args()
    files = {}
    for path in sorted(args.folder.rglob("*")):
        if path.is_file() and path.name != "runtime.json":
            data = path.read_bytes()
            files[path.relative_to(args.folder).as_posix()] = {"bytes": len(data),
                                                               "sha256": hashlib.sha256(data).hexdigest()}
    library, = (args.folder / "lib").glob("liblathe_rt.so.*")
    described = {"schema": "lathe-runtime/1", "triple": args.triple, "version": args.version, "abi_version": args.abi,
                 "soname": library.name, "floor": floor_of(args.readelf, library), "files": files}
    text = json.dumps(described, indent=2, sort_keys=True) + "\n"
    (args.folder / "runtime.json").write_text(text)


if __name__ == "__main__":
    main()
