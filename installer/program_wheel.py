#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""program_wheel.py BUILD SOURCE WHEELS: the wheel of the package lathe, of the Python files in SOURCE and the installed
program with all libraries that it needs, so that a virtual environment has the compiler by pip alone. Its tag says how new the
C library has to be; it needs the wheel of lathe_rt.
"""
import os
import sys
import tempfile
import zipfile
from pathlib import Path

from portable_tree import add_libraries, glibc_floor, install, patch
from wheel_file import python_files, write_wheel

COMPONENTS = ("cli", "runtime", "images", "runtimes")
INSTALLED = "lathe/_installed"  # where _program.py looks for it
PROGRAMS = ("lathe", "lathe-runner")


def main():
    build, source, wheels = (Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "lathe"
        version = install(build, COMPONENTS, root)
        add_libraries(root)
        for program in PROGRAMS:
            patch(root / "bin" / program, "$ORIGIN/../lib")
        files, executables = python_files(source, version), set()
        for path in root.rglob("*"):
            if path.is_file():  # a wheel has no links: what they lead to stands for them
                name = f"{INSTALLED}/{path.relative_to(root)}"
                files[name] = path.read_bytes()
                if os.access(path, os.X_OK):
                    executables.add(name)
        glibc = "_".join(map(str, glibc_floor(root)))
        # Some 200 MB: they are compressed, at the price that another zlib gives other bytes.
        write_wheel(wheels, "lathe", version, f"py3-none-manylinux_{glibc}_{os.uname().machine}", files,
                    "Compiles, tunes and exports trained models", f"Requires-Dist: lathe-rt =={version}\n"
                    "Requires-Dist: numpy\n", "[console_scripts]\nlathe = lathe._program:main\n", executables,
                    zipfile.ZIP_DEFLATED)  # fmt: skip


main()
