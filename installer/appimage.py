#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""appimage.py ARCHIVE IMAGE [--update-information TEXT]: the portable archive as one executable file, an AppImage.

An AppImage is a program, the type-2 runtime, with a squashfs behind it, which it mounts and whose AppRun it starts. No Debian
package and no package of PyPI has the static runtime, which needs no libfuse of the system, and nothing is fetched here: the
file that $LATHE_APPIMAGE_RUNTIME names is taken, if it is the one that is known.

    IMAGE [MODEL…]              the workbench
    ln -s IMAGE lathe; ./lathe  what the link is called: lathe, lathe-runner
    IMAGE --appimage-extract-and-run …    where there is no FUSE

With --update-information (`zsync|https://…/lathe.AppImage.zsync`) the image says where it is updated from, and IMAGE.zsync is
made, which has to lie there.
"""
import argparse
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from portable_tree import glibc_floor, run

RUNTIME_VARIABLE = "LATHE_APPIMAGE_RUNTIME"
RELEASE = "20251108"  # of AppImage/type2-runtime, file runtime-MACHINE
RUNTIMES = {"x86_64": "2fca8b443c92510f1483a883f60061ad09b46b978b2631c807cd873a47ec260d",
            "aarch64": "00cbdfcf917cc6c0ff6d3347d59e0ca1f7f45a6df1a428a0d6d8a78664d87444"}
DESKTOP = "io.lathe.Workbench"
TRANSPORTS = ("zsync", "gh-releases-zsync", "pling-v1-zsync")
# What the static runtime reads is gzip and zstd; in large blocks zstd is smaller and faster to read.
SQUASHFS = ("-root-owned", "-noappend", "-no-xattrs", "-all-time", "0", "-mkfs-time", "0", "-comp", "zstd",
            "-Xcompression-level", "15", "-b", "1M", "-no-progress", "-quiet")
STARTER = """#!/bin/sh
# Starts what the AppImage is called as, lathe or lathe-runner, else the workbench; says why where it cannot.
here=$(dirname "$(readlink -f "$0")")
have=$(getconf GNU_LIBC_VERSION 2>/dev/null)
have=${{have#glibc }}
minor=${{have#*.}}
case $have in
[0-9]*.[0-9]*)
    if [ $((${{have%%.*}} * 1000 + ${{minor%%.*}})) -lt {number} ]; then
        echo "lathe: needs the GNU C library {floor} or newer; this system has $have" >&2
        exit 1
    fi ;;
esac
name=${{ARGV0##*/}}
case $name in
lathe | lathe-runner) ;;
*) name=lathe-workbench ;;
esac
exec "$here/usr/bin/$name" "$@"
"""


class Refusal(Exception):
    """What the user can change; its text says how."""


def read_runtime(path, machine, known=RUNTIMES):
    """The runtime's bytes, if they are the known ones."""
    if machine not in known:
        raise Refusal(f"no type-2 runtime is known for {machine}, only for {', '.join(known)}")
    wanted = f"the file runtime-{machine} of release {RELEASE} of AppImage/type2-runtime"
    if not path:
        raise Refusal(f"{RUNTIME_VARIABLE} has to name {wanted}")
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise Refusal(f"{RUNTIME_VARIABLE}: {error}; it has to name {wanted}") from None
    found = hashlib.sha256(data).hexdigest()
    if found != known[machine]:
        raise Refusal(f"{RUNTIME_VARIABLE}: {path} has the SHA-256 {found}; {wanted} has {known[machine]}")
    return data


def section_of(elf, name):
    """Where the bytes of a section lie in a 64-bit little-endian ELF file: offset, size."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    for header in headers:
        start = headers[names][4] + header[0]
        if elf[start:elf.index(b"\0", start)] == name:
            return header[4:6]
    raise Refusal(f"the runtime has no section {name.decode()}")


def with_update_information(runtime, text):
    """The runtime that names what it is updated from. Its bytes are changed in place: objcopy would lose the mark of an
    AppImage, which lies in the padding of the ELF header."""
    transport, *fields = text.split("|")
    if transport not in TRANSPORTS or not fields or not fields[-1].endswith(".zsync") or not re.fullmatch(r"[!-~]+", text):
        raise Refusal(f"--update-information: {text!r} is none: one of {', '.join(TRANSPORTS)}, then fields after a | each, the "
                      "last of which ends in .zsync")
    offset, size = section_of(runtime, b".upd_info")
    data = text.encode()
    if len(data) >= size:
        raise Refusal(f"--update-information: {len(data)} bytes; {size - 1} at most")
    return runtime[:offset] + data.ljust(size, b"\0") + runtime[offset + size:]


def starter(floor):
    """The text of AppRun for a tree that needs this version of glibc: (major, minor)."""
    return STARTER.format(number=floor[0] * 1000 + floor[1], floor=f"{floor[0]}.{floor[1]}")


def make_folder(archive, folder):
    """Unpacks the portable archive as what an AppImage holds."""
    tree = folder / "usr"
    tree.mkdir(parents=True)
    run("tar", "-C", tree, "--strip-components=1", "-I", "zstd", "-xf", archive)
    app_run = folder / "AppRun"
    app_run.write_text(starter(glibc_floor(tree)))
    app_run.chmod(0o755)
    shutil.copy(tree / "share/applications" / f"{DESKTOP}.desktop", folder)
    shutil.copy(tree / "share/icons/hicolor/scalable/apps" / f"{DESKTOP}.svg", folder)
    (folder / ".DirIcon").symlink_to(f"{DESKTOP}.svg")


def write_image(runtime, folder, image):
    """The runtime and, behind it, the folder."""
    partial = image.with_name(f"{image.name}.partial")
    squashfs = image.with_name(f"{image.name}.squashfs")
    try:
        run("mksquashfs", folder, squashfs, *SQUASHFS)
        with partial.open("wb") as out, squashfs.open("rb") as behind:
            out.write(runtime)
            shutil.copyfileobj(behind, out)
        partial.chmod(0o755)
        partial.replace(image)
    finally:
        squashfs.unlink(missing_ok=True)
        partial.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("image", type=Path)
    parser.add_argument("--update-information", metavar="TEXT")
    options = parser.parse_args()
    try:
        runtime = read_runtime(os.environ.get(RUNTIME_VARIABLE), os.uname().machine)
        if options.update_information:
            runtime = with_update_information(runtime, options.update_information)
        with tempfile.TemporaryDirectory() as place:
            make_folder(options.archive, Path(place) / "AppDir")
            write_image(runtime, Path(place) / "AppDir", options.image.resolve())
        if options.update_information:
            run("zsyncmake", "-C", "-u", options.image.name, "-o", f"{options.image}.zsync", options.image)
    except Refusal as refusal:
        sys.exit(f"appimage: {refusal}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"appimage: {error.cmd[0]}: {error.stderr.strip()}")


if __name__ == "__main__":
    main()
