#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of the documentation from the real program: make_screenshots.py WORKBENCH SAMPLES IMAGES OTHERS [NAME…].

The workbench runs in a display of its own (Xvfb), opens a model of the folder SAMPLES, takes the steps that PICTURES names (see
`lathe-workbench --help`), saves its window and ends. pngquant makes the pictures small. Light pictures at 100 % go to IMAGES,
which the guide shows; the same in dark, and both at 200 %, go to OTHERS, to be looked at. Settings of the user are neither read
nor written. NAMEs: only these pictures.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTH, HEIGHT = 1280, 800
LIMIT = 200_000  # bytes of a picture of the guide
TIDY = ["view.log", "view.problems"]  # these docks go, there is more to see
COMPILE = TIDY + ["model.compile"]
RUN = COMPILE + ["model.run"]
PROFILE = RUN + ["view.profile"]
TUNE = COMPILE + ["tuning.start", "type:\n"]
TUNING_MINUTES = 0.5
# name -> model, steps; after them, a model to compare with
PICTURES = {
    "overview": ("small_cnn", RUN),
    "model": ("small_cnn", ["node:12"]),
    "values": ("small_cnn", TIDY + ["node:37", "pick:/head.weight  constant float32[10,64]", "model.values",
                                    "pick:Heat map"]),
    "groups": ("small_transformer", TIDY + ["node:3", "model.collapse_all"]),
    "search": ("small_cnn", TIDY + ["edit.find", "type:batchnorm block2\n\n"]),
    "passes": ("small_cnn", COMPILE + ["pick:fuse"]),
    "passes_off": ("small_cnn", COMPILE + ["pick:fold scale", "passes.off", "pick:fuse"]),
    "pass_picture": ("small_cnn", COMPILE + ["pick:choose layouts", "passes.picture", "passes.next"]),
    "bisect": ("small_cnn", COMPILE + ["model.bisect", "pick:More calls of an operator, or kernels, than a limit",
                                       "type:\trelayout", "pick:Start"]),
    "fusion": ("small_cnn", RUN + ["node:12", "view.fusion", "pick:yes"]),
    "fusion_picture": ("small_cnn", RUN + ["node:12", "view.fusion", "fusion.picture"]),
    "before_now": ("small_cnn", COMPILE + ["node:25", "view.fusion", "fusion.dissolve", "model.compare"]),
    "loops": ("small_cnn", RUN + ["node:13", "view.loops", "pick:computes conv"]),
    "find": ("small_cnn", RUN + ["node:13", "view.loops", "focus:Assembly", "edit.find", "type:vfmadd\n\n"]),
    "steps": ("small_cnn", RUN + ["node:13", "view.loops", "pick:Computation", "pick:Assembly",
                                  "pick:Schedule, step by step", "pick:computeInline blocks(#2)"]),
    "profile": ("small_cnn", PROFILE),
    "overlay": ("small_cnn", RUN + ["view.model", "pick:Time", "node:12"]),
    "layouts": ("small_cnn", COMPILE + ["view.model", "pick:Layout", "node:37"]),
    "flame": ("small_transformer", PROFILE + ["pick:Flame"]),
    "timeline": ("small_cnn", PROFILE + ["pick:Timeline"]),
    "sizes": ("small_transformer", COMPILE + ["model.sweep", "type:1:29:4\n"]),
    "roofline": ("small_cnn", PROFILE + ["pick:Roofline"]),
    "memory": ("small_cnn", PROFILE + ["pick:Memory"]),
    "check": ("small_cnn", COMPILE + ["check.values", "view.check"]),
    "checked_value": ("small_cnn", COMPILE + ["check.values", "view.check", "pick:/block1/Relu_out", "check.elements",
                                              "pick:Difference"]),
    "compare": ("small_cnn_2", TIDY + ["pick:/block3/a/Conv (Conv)"], "small_cnn"),
    "tuning": ("small_cnn", TUNE + ["pick:History"]),
    "answers": ("small_cnn", TUNE + ["pick:Trials", "pick:Answers"]),
    "cost_model": ("small_cnn", TUNE + ["pick:Cost model"]),
    "start_tuning": ("small_cnn", COMPILE + ["view.tuning", "tuning.start"]),
    "estimate": ("small_cnn", TUNE + ["pick:Model estimate"]),
    "apply": ("small_cnn", TUNE + ["pick:Apply"]),
    "parallel_axes": ("small_cnn", TUNE + ["pick:Trials", "pick:Parallel axes"]),
    "lineage": ("small_cnn", TUNE + ["pick:Trials", "pick:Lineage"]),
    "model_features": ("small_cnn", TUNE + ["pick:Cost model", "pick:Features"]),
    "export_target": ("small_cnn", COMPILE + ["file.export", "type:\n"]),
    "export_contents": ("small_cnn", COMPILE + ["file.export", "type:\n\n", "pick:A program"]),
    "export_checks": ("small_cnn", COMPILE + ["file.export", "type:\n\n\n\n"]),
    "export_summary": ("small_cnn", COMPILE + ["file.export", "type:\n\n\n\n\n"]),
    "exports": ("small_cnn", COMPILE + ["file.export", "type:\n\n\n\n\n", "type:first", "type:\n", "pick:Finish",
                                       "file.export", "type:\n\n", "pick:Python module (needs no build)",
                                       "type:\n\n\n", "type:second", "type:\n", "pick:Compare with other exports…"]),
    "settings": ("small_transformer", TIDY + ["node:3", "model.settings"]),
    "preferences": ("small_cnn", TIDY + ["node:12", "file.preferences"]),
    "palette": ("small_cnn", COMPILE + ["node:12", "view.places", "type:conv relu"]),
    "shortcuts": ("small_cnn", TIDY + ["node:12", "view.shortcuts"]),
}


class Display:
    """An X server on a display number that it chooses itself."""

    def __init__(self, width, height):
        self.size = f"{width}x{height}x24"

    def __enter__(self):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", self.size, "-dpi", "96", "-nolisten", "tcp"],
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


def take(workbench, model, steps, compared, theme, scale, display, file):
    """One picture; each with settings of its own, so that none shows what another one left behind."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "DISPLAY": display, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_RUNTIME_DIR": home,
                       "XDG_CACHE_HOME": str(Path(home) / ".cache"), "QT_QPA_PLATFORM": "xcb", "QT_SCALE_FACTOR": str(scale),
                       "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        # The folders of the model and of compiled kernels show in the window.
        shown = Path(home) / "models"
        shown.symlink_to(model.parent)
        cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
        cache.mkdir(parents=True, exist_ok=True)
        (Path(home) / ".cache").symlink_to(cache)
        settings = Path(home) / "Lathe" / "lathe-workbench.conf"
        settings.parent.mkdir()
        settings.write_text(f"[tuning]\nminutes={TUNING_MINUTES}\n")
        raw = Path(home) / "picture.png"
        subprocess.run([workbench, shown / model.name, "--picture", raw, "--size", f"{WIDTH}x{HEIGHT}",
                        "--theme", theme, *(argument for step in steps for argument in ("--do", step)),
                        *(argument for other in compared for argument in ("--compare", shown / f"{other}.onnx"))],
                       env=environment, cwd=home, check=True, timeout=580)  # where what it writes goes
        subprocess.run(["pngquant", "--force", "--strip", "--quality", "70-98", "--output", file, raw], check=True)


def main():
    workbench, samples, images, others = (Path(argument).resolve() for argument in sys.argv[1:5])
    for folder in (images, others):
        folder.mkdir(parents=True, exist_ok=True)
    for scale in (1, 2):
        with Display(WIDTH * scale, HEIGHT * scale) as display:
            for name in sys.argv[5:] or PICTURES:
                model, steps, *compared = PICTURES[name]
                for theme in ("light", "dark"):
                    shown = theme == "light" and scale == 1
                    file = images / f"{name}.png" if shown else others / f"{name}-{theme}-{100 * scale}.png"
                    take(workbench, samples / f"{model}.onnx", steps, compared, theme, scale, display, file)
                    size = file.stat().st_size
                    if shown and size > LIMIT:
                        sys.exit(f"make_screenshots: {name}.png has {size} bytes, more than {LIMIT}")
                    print(f"{file}: {size} bytes", flush=True)


main()
