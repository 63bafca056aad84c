#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_guide.py GUIDE PROGRAMS MODEL: runs every command of docs/deployment.md as it is written, in an empty folder.

The device `board` of the guide is this machine by a real sshd on loopback, with keys of its own.
"""
import contextlib
import getpass
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def wait_for(port):
    for _ in range(100):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit("sshd does not answer")


@contextlib.contextmanager
def board(folder):
    """Serves the host `board` to a program `ssh` in folder/bin."""
    folder.mkdir()
    (folder / "bin").mkdir()
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\n"
        "PidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n")
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {(folder / 'host.pub').read_text()}")
    (folder / "ssh_config").write_text(
        f"Host board\n  HostName 127.0.0.1\n  Port {port}\n  User {getpass.getuser()}\n  IdentityFile {folder}/user\n"
        f"  IdentitiesOnly yes\n  IdentityAgent none\n  UserKnownHostsFile {folder}/known_hosts\n")
    ssh = folder / "bin" / "ssh"
    ssh.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {folder}/ssh_config "$@"\n')
    ssh.chmod(0o700)
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", folder / "sshd_config"], stderr=log)
    try:
        wait_for(port)
        yield ssh.parent
    finally:
        server.terminate()
        server.wait()


guide, programs, model = (Path(argument).resolve() for argument in sys.argv[1:])
commands = re.findall(r"^    \$ (.*)$", guide.read_text(), re.MULTILINE)
with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other, board(Path(other, "board")) as ssh:
    shutil.copy(model, Path(folder, "model.onnx"))
    environment = {**os.environ, "PATH": f"{ssh}:{programs}:{os.environ['PATH']}", "LATHE_CACHE": f"{folder}/cache",
                   "XDG_CONFIG_HOME": f"{other}/settings"}
    for command in commands:
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{command}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
if len(commands) < 10:
    sys.exit("the guide has hardly any commands")
print(f"{len(commands)} commands")
