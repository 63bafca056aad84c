#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wheels.py FOLDER MODEL: uses the wheels of lathe and lathe_rt that lie in FOLDER in a virtual environment, where no other lathe
is found."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SMOKE = """
import lathe, lathe_rt
lathe.compile("model.onnx", "python.so")
lathe.export("model.onnx", "python_bundle")
print(lathe_rt.Model("python.so").outputs, lathe_rt.Model("python_bundle").outputs)
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], **options)
    if done.returncode:
        sys.exit(f"wheels: failed ({done.returncode}): {' '.join(str(part) for part in command)}")


def main():
    folder, model = Path(sys.argv[1]), Path(sys.argv[2])
    wheels = list(folder.glob(f"lathe*-*_{os.uname().machine}.whl"))
    with tempfile.TemporaryDirectory() as place:
        run(sys.executable, "-m", "venv", place)
        run(f"{place}/bin/python", "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--disable-pip-version-check",
            *wheels)
        shutil.copy(model, f"{place}/model.onnx")
        run("./bin/python", "-c", SMOKE, cwd=place, env={"HOME": place})
        run("./bin/lathe", "inspect", "model.onnx", cwd=place, env={"HOME": place}, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
