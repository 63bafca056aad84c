#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fresh_system.py FOLDER SAMPLES: uses what lies in FOLDER as users do, in a fresh Debian that has nothing of Lathe: the portable
archive and, if it was made, the AppImage in two releases; the packages, which are installed, used and removed, in the release
that they are for.

Makes a root file system in FOLDER/root with debootstrap, which needs root and a mirror. SAMPLES: the sample models.
"""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

OTHER_SUITE = "trixie"  # newer than the one that the archive is built on

# What has to work, as a user would do it; the samples lie in /models, and $1 is the folder of programs.
SMOKE = """set -e
mount -t proc proc /proc
export HOME=/tmp/home QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=/tmp/home
mkdir -p $HOME
cd /models
$1/lathe compile small_cnn.onnx -o /tmp/small_cnn.so
$1/lathe run /tmp/small_cnn.so
rm -f /tmp/picture.png
$1/lathe-workbench small_cnn.onnx --picture /tmp/picture.png --do model.compile 2>/dev/null
test -s /tmp/picture.png
rm -rf /tmp/bundle
$1/lathe bundle small_cnn.onnx -o /tmp/bundle
/tmp/bundle/check
if command -v python3 >/dev/null; then
    PYTHONPATH=$1/../lib/python3/dist-packages python3 -c '
import lathe, lathe_rt
lathe.compile("small_cnn.onnx", "/tmp/python.so")
print(lathe_rt.Model("/tmp/python.so").outputs, lathe_rt.Model("/tmp/bundle").outputs)'
fi
"""
INSTALL = "mount -t proc proc /proc; apt-get -qq update; apt-get -qq install -y --no-install-recommends /debs/*.deb >/dev/null"
REMOVE = """mount -t proc proc /proc
apt-get -qq purge -y $(cd /debs; for each in *.deb; do echo ${each%%_*}; done) >/dev/null
apt-get -qq autoremove -y --purge >/dev/null"""


def say(text):
    print(f"fresh_system: {text}", flush=True)


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], **options)
    if done.returncode:
        sys.exit(f"fresh_system: failed ({done.returncode}): {' '.join(str(part) for part in command)}")


def in_root(root, script, *arguments, **more):
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", **more}
    run("unshare", "--mount", "--pid", "--fork", "chroot", root, "/bin/sh", "-c", script, "sh", *arguments, env=environment)


def fresh_root(options, suite):
    root = options.folder / "root"
    shutil.rmtree(root, ignore_errors=True)
    say(f"a fresh {suite} in {root}")
    run("debootstrap", "--variant=minbase", suite, root, *([options.mirror] if options.mirror else []),
        stdout=subprocess.DEVNULL)
    shutil.copytree(options.samples, root / "models")
    return root


def check_portable(root, folder):
    (archive,) = folder.glob("*.tar.zst")
    place = root / "opt" / "lathe"
    place.mkdir()
    say("the archive, on a system without its libraries")
    run("tar", "-C", place, "--strip-components=1", "-I", "zstd", "-xf", archive)
    in_root(root, SMOKE, "/opt/lathe/bin")
    shutil.rmtree(place)
    for image in folder.glob("*.AppImage"):
        say("the AppImage, by links to it; it unpacks itself, as nothing can be mounted here")
        place.mkdir()
        shutil.copy(image, place)
        for name in ("lathe", "lathe-workbench"):
            (place / name).symlink_to(image.name)
        in_root(root, SMOKE, "/opt/lathe", APPIMAGE_EXTRACT_AND_RUN="1")
        shutil.rmtree(place)


def check_packages(root, folder):
    own = ("usr", "etc", "lib", "bin", "opt")

    def files():
        return {path for name in own for path in (root / name).rglob("*") if path.is_file()}

    before = files()
    (root / "debs").mkdir()
    for package in folder.glob("*.deb"):
        shutil.copy(package, root / "debs")
    say("the packages")
    in_root(root, INSTALL)
    in_root(root, SMOKE, "/usr/bin")
    in_root(root, REMOVE)
    if left := sorted(files() - before):
        sys.exit(f"fresh_system: left behind: {' '.join(map(str, left[:5]))}")
    say("installed, used, removed; nothing is left")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--suite", default="bookworm", help="the Debian that the packages are for; default: bookworm")
    parser.add_argument("--mirror", help="where Debian comes from; default: debootstrap's")
    options = parser.parse_args()
    if os.geteuid():
        sys.exit("fresh_system: makes a root file system: run it as root")
    if options.suite != OTHER_SUITE:
        check_portable(fresh_root(options, OTHER_SUITE), options.folder)
    root = fresh_root(options, options.suite)
    check_portable(root, options.folder)
    check_packages(root, options.folder)
    shutil.rmtree(root)


if __name__ == "__main__":
    main()
