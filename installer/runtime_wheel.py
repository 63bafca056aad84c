#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""runtime_wheel.py SOURCE RUNTIME WHEELS [--package FOLDER]: the wheel of lathe_rt for one kind of machine, of the Python files
in SOURCE and the shared library of a runtime package; with --package also the package itself, as a folder.

The same files give the same bytes: nothing is compressed, which is another matter for each version of zlib. The tag says what
of glibc the library asks for, as runtime.json has it of the linker's own words.
"""
import argparse
import json
import shutil
from pathlib import Path

from wheel_file import python_files, write_wheel

LIBRARY = "liblathe_rt.so.1"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("runtime", type=Path)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("--package", type=Path)
    options = parser.parse_args()
    facts = json.loads((options.runtime / "runtime.json").read_text())
    version = facts["version"]
    machine = facts["triple"].split("-")[0]
    tag = f"py3-none-manylinux_{facts['floor']['GLIBC'].replace('.', '_')}_{machine}"
    library = f"lathe_rt/{LIBRARY}"
    files = {**python_files(options.source, version), library: (options.runtime / "lib" / LIBRARY).read_bytes()}
    if options.package:
        shutil.rmtree(options.package / "lathe_rt", ignore_errors=True)
        for name, content in files.items():
            target = options.package / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    write_wheel(options.wheels, "lathe_rt", version, tag, files, "Runs models that Lathe has compiled", executables=(library,))


main()
