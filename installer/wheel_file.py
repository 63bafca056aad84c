# SPDX-License-Identifier: Apache-2.0
"""Writes wheels: the same files give the same bytes, as names are sorted and times fixed."""
import base64
import hashlib
import zipfile
from pathlib import Path

LICENCE = Path(__file__).resolve().parents[1] / "LICENSES" / "Apache-2.0.txt"
METADATA = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {summary}
License: Apache-2.0
License-File: Apache-2.0.txt
Requires-Python: >=3.8
{more}Classifier: Programming Language :: Python :: 3
Classifier: Operating System :: POSIX :: Linux
Classifier: Typing :: Typed
Description-Content-Type: text/plain

{description}"""
WHEEL = """Wheel-Version: 1.0
Generator: lathe {version}
Root-Is-Purelib: false
Tag: {tag}
"""


def python_files(source, version):
    """The files of a package, below its name, and the version that it has."""
    files = {f"{source.name}/{path.name}": path.read_bytes() for path in source.iterdir() if path.is_file()}
    files[f"{source.name}/_version.py"] = f'# SPDX-License-Identifier: Apache-2.0\n__version__ = "{version}"\n'.encode()
    return files


def _record(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write_wheel(folder, package, version, tag, files, summary, more="", points="", executables=(),
                compression=zipfile.ZIP_STORED):
    """files: name → bytes, those of `package` among them; more: lines of METADATA; points: entry_points.txt. Wheels of the
    package for the same machine that lie in the folder are removed."""
    info = f"{package}-{version}.dist-info"
    description = files[f"{package}/__init__.py"].decode().split('"""')[1]
    metadata = METADATA.format(name=package.replace("_", "-"), version=version, summary=summary, more=more,
                               description=description)
    entries = {
        **files,
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": WHEEL.format(version=version, tag=tag).encode(),
        f"{info}/licenses/Apache-2.0.txt": LICENCE.read_bytes(),
    }
    if points:
        entries[f"{info}/entry_points.txt"] = points.encode()
    record = "".join(_record(name, content) for name, content in sorted(entries.items())) + f"{info}/RECORD,,\n"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{package}-*_{tag.rpartition('manylinux_')[2].split('_', 2)[2]}.whl"):
        old.unlink()
    path = folder / f"{package}-{version}-{tag}.whl"
    partial = path.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w", compression) as archive:
        for name, content in [*sorted(entries.items()), (f"{info}/RECORD", record.encode())]:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            entry.compress_type = compression
            entry.external_attr = (0o100755 if name in executables else 0o100644) << 16
            archive.writestr(entry, content)
    partial.replace(path)
    return path
