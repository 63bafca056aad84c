#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_guide.py BUILD VENV: runs every command and script of docs/python.md as it is written, in order, in an empty folder that
has a model.onnx. Scripts stay short: what needs more than 40 lines is no example."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
build, venv = (Path(os.path.abspath(argument)) for argument in sys.argv[1:])
steps = [(command, script) for command, script in re.findall(
    r"^    \$ ([^\n]*)$|^```python\n(.*?)^```$", (ROOT / "docs" / "python.md").read_text(), re.MULTILINE | re.DOTALL)]
with tempfile.TemporaryDirectory() as folder:
    shutil.copy(build / "samples" / "small_cnn.onnx", Path(folder, "model.onnx"))
    environment = {**os.environ, "PATH": f"{build}/bin:{os.environ['PATH']}", "LATHE_CACHE": f"{folder}/cache",
                   "LATHE_RECORDS": f"{folder}/records.db", "PYTHONPATH": f"{build}/lib/python3/dist-packages"}
    for command, script in steps:
        assert script.count("\n") < 40, script
        done = subprocess.run([venv / "bin" / "python", "-B", "-c", script] if script else ["sh", "-c", command], cwd=folder,
                              env=environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{script or command}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
assert len(steps) >= 3
print(f"{len(steps)} steps")
