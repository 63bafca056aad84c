#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_wheel.py SOURCE RUNTIME WHEELS [--package FOLDER]: the wheel of lathe_rt for one kind of machine, of the Python files in
SOURCE and the shared library of a runtime package; with --package also the package itself, as a folder.

The same files give the same bytes: names are sorted, times fixed, and nothing is compressed, which is another matter for each
version of zlib. The tag says what of glibc the library asks for, as runtime.json has it of the linker's own words.
"""
import argparse
import base64
import hashlib
import json
import shutil
import zipfile
from pathlib import Path

METADATA = """Metadata-Version: 2.1
Name: lathe-rt
Version: {version}
Summary: Runs models that Lathe has compiled
License: Apache-2.0
License-File: Apache-2.0.txt
Requires-Python: >=3.8
Classifier: Programming Language :: Python :: 3
Classifier: Operating System :: POSIX :: Linux
Classifier: Typing :: Typed
Description-Content-Type: text/plain

{description}"""
WHEEL = """Wheel-Version: 1.0
Generator: lathe {version}
Root-Is-Purelib: false
Tag: {tag}
"""
LIBRARY = "liblathe_rt.so.1"
LICENCE = Path(__file__).resolve().parents[1] / "LICENSES" / "Apache-2.0.txt"


def package_of(source, runtime, version):
    files = {f"lathe_rt/{path.name}": path.read_bytes() for path in source.iterdir() if path.is_file()}
    init = files["lathe_rt/__init__.py"]
    files["lathe_rt/__init__.py"] = init.replace(b"@VERSION@", version.encode())
    files[f"lathe_rt/{LIBRARY}"] = (runtime / "lib" / LIBRARY).read_bytes()
    return files


def line_of(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write_wheel(path, files):
    partial = path.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            entry.external_attr = (0o100755 if name.endswith(LIBRARY) else 0o100644) << 16
            archive.writestr(entry, content)
    partial.replace(path)


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
    files = package_of(options.source, options.runtime, version)
    if options.package:
        shutil.rmtree(options.package / "lathe_rt", ignore_errors=True)
        for name, content in files.items():
            target = options.package / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    description = files["lathe_rt/__init__.py"].decode().split('"""')[1]
    info = f"lathe_rt-{version}.dist-info"
    files[f"{info}/METADATA"] = METADATA.format(version=version, description=description).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(version=version, tag=tag).encode()
    files[f"{info}/licenses/Apache-2.0.txt"] = LICENCE.read_bytes()
    entries = sorted(files.items())
    record = "".join(line_of(name, content) for name, content in entries) + f"{info}/RECORD,,\n"
    options.wheels.mkdir(parents=True, exist_ok=True)
    for old in options.wheels.glob(f"lathe_rt-*_{machine}.whl"):
        old.unlink()
    write_wheel(options.wheels / f"lathe_rt-{version}-{tag}.whl", [*entries, (f"{info}/RECORD", record.encode())])


main()
