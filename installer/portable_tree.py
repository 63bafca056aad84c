# SPDX-License-Identifier: Apache-2.0
"""An installation that runs where none of its libraries is installed: programs, and in lib/ what they need but for the C
library. They find it by an RPATH relative to themselves; an RPATH, unlike a RUNPATH, also serves what their libraries need, and
what is loaded later."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Of the C library, and what has to be the system's own.
SYSTEM = re.compile(r"^(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|util|nss_.*)\.so\..*|lib(drm|gbm|GLX_mesa|EGL_mesa).*)$")


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def install(build, components, root):
    """What is installed of these components, below root; gives the version."""
    for component in components:
        run("cmake", "--install", build, "--strip", "--component", component, "--prefix", root)
    return run(build / "bin" / "lathe", "--version").strip()


def needed(file):
    """The libraries that the loader would load with this file: name and path."""
    for line in run("ldd", file).splitlines():
        found = re.match(r"\s*(\S+) => (\S+) \(", line)
        if found:
            yield found[1], Path(found[2])
        elif "not found" in line:
            sys.exit(f"{sys.argv[0]}: {file}: {line.strip()}")


def elf_files(root):
    """The tree's programs and libraries; what lies below share/ is for other machines too."""
    return [path for folder in ("bin", "lib") for path in sorted((root / folder).rglob("*"))
            if path.is_file() and path.open("rb").read(4) == b"\x7fELF"]


def glibc_floor(root):
    """The oldest version of glibc that has all that the tree's programs and libraries ask for: (2, 36)."""
    told = run("readelf", "--wide", "--version-info", *elf_files(root))
    return max((int(major), int(minor)) for major, minor in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", told))


def add_libraries(root):
    """Copies what the tree's programs and libraries need into lib/; runtimes of other machines, below share/, stand alone."""
    have = {path.name for path in (root / "lib").iterdir()}
    for file in elf_files(root):
        for name, path in needed(file):
            if name not in have and not SYSTEM.match(name):
                shutil.copy2(path.resolve(), root / "lib" / name)
                have.add(name)


def patch(file, path):
    run("patchelf", "--force-rpath", "--set-rpath", path, file)
