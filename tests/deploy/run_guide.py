#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_guide.py GUIDE PROGRAMS MODEL: runs every command of docs/deployment.md as it is written, in an empty folder."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

guide, programs, model = (Path(argument).resolve() for argument in sys.argv[1:])
commands = re.findall(r"^    \$ (.*)$", guide.read_text(), re.MULTILINE)
with tempfile.TemporaryDirectory() as folder:
    shutil.copy(model, Path(folder, "model.onnx"))
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "LATHE_CACHE": f"{folder}/cache"}
    for command in commands:
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{command}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
if len(commands) < 10:
    sys.exit("the guide has hardly any commands")
print(f"{len(commands)} commands")
