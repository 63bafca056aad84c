#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_wheel.py BUILD VENV: the wheel of lathe_rt in a fresh virtual environment, without a network, without NumPy and with that
of VENV; that the same files make the same wheel; that nothing is left when it is removed."""
import ast
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
build, venv = (Path(os.path.abspath(argument)) for argument in sys.argv[1:])  # the venv's python is a link
lathe = build / "bin" / "lathe"


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{command}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


for file in (ROOT / "resources" / "python").rglob("*.py"):
    ast.parse(file.read_text(), feature_version=(3, 8))
with tempfile.TemporaryDirectory() as place:
    folder = Path(place)
    machine = os.uname().machine
    (wheel,) = (build / "wheels").glob(f"lathe_rt-*_{machine}.whl")
    runtime = build / "share" / "lathe" / "runtimes" / f"{machine}-linux-gnu"
    floor = json.loads((runtime / "runtime.json").read_text())["floor"]["GLIBC"].replace(".", "_")
    assert wheel.name.endswith(f"-py3-none-manylinux_{floor}_{machine}.whl"), wheel
    run(sys.executable, ROOT / "installer" / "runtime_wheel.py", ROOT / "resources" / "python" / "lathe_rt", runtime, folder / "again",
        env={**os.environ, "TZ": "Asia/Tokyo"})
    assert (folder / "again" / wheel.name).read_bytes() == wheel.read_bytes(), "the same files give another wheel"

    run(venv / "bin" / "python", HERE / "make_models.py", folder)
    environment = {**os.environ, "LATHE_CACHE": str(folder / "cache")}
    for name in ("plain", "open", "pick", "half", "brain", "flags", "named", "sum", "weighted"):
        run(lathe, "compile", folder / f"{name}.onnx", "-o", folder / f"{name}.so", "--quiet", env=environment)
    bundle = (lathe, "bundle", folder / "plain.onnx", "--quiet")
    run(*bundle, "-o", folder / "bundle", "--version", "2.0.1", env=environment)
    run(*bundle, "-o", folder / "bundle.zip", env=environment)
    run(*bundle, "-o", folder / "program", "--form", "exe", env=environment)
    run(lathe, "bundle", folder / "open.onnx", "-o", folder / "sized", "--symbol", "n=2..32:8", "--quiet", env=environment)

    run(venv / "bin" / "python", "-m", "venv", folder / "fresh")  # of the same version, for its NumPy
    python = folder / "fresh" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", wheel)
    (packages,) = (venv / "lib").glob("python3*/site-packages")
    for more in ({}, {"PYTHONPATH": str(packages)}):
        for script in ("use_lathe_rt.py", "use_contexts.py"):
            told = run(python, "-X", "dev", "-X", "faulthandler", HERE / script, folder, cwd=folder,
                       env={"PATH": os.environ["PATH"], **more})
            assert told == f"good, {'with' if more else 'without'} NumPy\n", told
    run(python, "-m", "pip", "uninstall", "-q", "-y", "lathe-rt")
    left = [path for path in (folder / "fresh" / "lib").rglob("lathe_rt*")]
    assert not left, left
print("good")
