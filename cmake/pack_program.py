#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs what a static program of a model is linked of, but for the model, into a runtime package.

Links a program without a model, and has the linker say which files and which members of archives it took. A model needs
nothing of a library, so a program with one takes the same: FOLDER/lib/static gets the start-up files as they are, and one
archive of all else: of libstdc++.a and libc.a a part. FOLDER/licenses gets the terms of both, and of what headers bring.

    pack_program.py FOLDER --ar AR --objcopy OBJCOPY -- LINK-COMMAND
"""
import argparse
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

LICENSES = {"LGPL-2.1.txt": "common-licenses/LGPL-2.1", "GPL-3.txt": "common-licenses/GPL-3",
            "glibc.txt": "doc/libc6-dev/copyright", "gcc.txt": "doc/gcc-12-base/copyright",
            "fmt.txt": "doc/libfmt-dev/copyright", "json.txt": "doc/nlohmann-json3-dev/copyright",
            "xxhash.txt": "doc/libxxhash-dev/copyright"}


def members_of(archive):
    """(name, content) of each member; names may be there twice."""
    data = archive.read_bytes()
    assert data.startswith(b"!<arch>\n"), archive
    at, long_names = 8, b""
    while at + 60 <= len(data):
        name, size = data[at:at + 16].decode().rstrip(), int(data[at + 48:at + 58])
        content = data[at + 60:at + 60 + size]
        if name == "//":
            long_names = content
        elif name not in ("/", "/SYM64/"):
            if re.fullmatch(r"/[0-9]+", name):
                name = long_names[int(name[1:]):].split(b"/\n", 1)[0].decode()
            yield name.rstrip("/"), content
        at += 60 + size + size % 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ar", required=True)
    parser.add_argument("--objcopy", required=True)
    parser.add_argument("link", nargs="+")
    args = parser.parse_args()
    static, licenses = args.folder / "lib" / "static", args.folder / "licenses"
    static.mkdir(parents=True, exist_ok=True)
    licenses.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        traced = subprocess.run([*args.link, "-Wl,--trace", "-o", scratch / "program"], check=True, capture_output=True,
                                text=True).stdout
        taken, wanted = [], {}  # objects, in order; names of members by archive
        for line in dict.fromkeys(traced.splitlines()):
            member = re.fullmatch(r"(.*\.a)\((.*)\)", line)
            if member:
                wanted.setdefault(Path(member[1]), set()).add(member[2])
            elif re.fullmatch(r"crt(1|i|n|beginT|end)\.o", Path(line).name):
                shutil.copy(line, static / Path(line).name)
            elif line.endswith(".o"):
                taken.append((Path(line).name, Path(line).read_bytes()))
        for archive, names in wanted.items():
            taken += [(f"{archive.stem}-{name}", data) for name, data in members_of(archive) if name in names]
        files = []
        for i, (name, data) in enumerate(taken):
            files.append(f"{i:04}-{name}")
            (scratch / files[-1]).write_bytes(data)
        library = static / "liblathe_program.a"
        library.unlink(missing_ok=True)
        subprocess.run([args.ar, "qcsD", library.resolve(), *files], check=True, cwd=scratch)
        subprocess.run([args.objcopy, "--strip-debug", "-D", library], check=True)
    for name, path in LICENSES.items():
        path = Path("/usr/share", path)
        if path.exists():
            shutil.copy(path, licenses / name)


if __name__ == "__main__":
    main()
