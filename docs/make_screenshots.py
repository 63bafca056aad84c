#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of the documentation from the real program: make_screenshots.py WORKBENCH MODEL FOLDER.

The workbench runs in a display of its own (Xvfb), opens the model, selects a node or compiles and runs, saves its window and
ends. pngquant makes the pictures small. Settings of the user are neither read nor written.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SIZE = "1440x900"
LIMIT = 400_000  # bytes of a picture
# file -> arguments of the workbench
PICTURES = {"workbench.png": ["--page", "model", "--node", "12"]}


class Display:
    """An X server on a display number that it chooses itself."""

    def __enter__(self):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{SIZE}x24", "-dpi", "96", "-nolisten", "tcp"],
            pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            number = pipe.readline().strip()
        if not number:
            sys.exit("make_screenshots: Xvfb did not start")
        return f":{number}"

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()


def main():
    workbench, model, folder = (Path(argument).resolve() for argument in sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    with Display() as display, tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "DISPLAY": display, "XDG_CONFIG_HOME": home, "XDG_RUNTIME_DIR": home, "HOME": home,
                       "XDG_CACHE_HOME": cache,
                       "QT_QPA_PLATFORM": "xcb", "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        # The folder of the model shows in the window.
        shown = Path(home) / "models" / model.parent.name
        shown.parent.mkdir()
        shown.symlink_to(model.parent)
        for name, arguments in PICTURES.items():
            raw = Path(home) / name
            subprocess.run([workbench, shown / model.name, "--picture", raw, "--size", SIZE, "--theme", "light",
                            *arguments], env=environment, check=True, timeout=580)
            subprocess.run(["pngquant", "--force", "--strip", "--quality", "70-98", "--output", folder / name, raw],
                           check=True)
            size = (folder / name).stat().st_size
            if size > LIMIT:
                sys.exit(f"make_screenshots: {name} has {size} bytes, more than {LIMIT}")
            print(f"{folder / name}: {size} bytes")


main()
