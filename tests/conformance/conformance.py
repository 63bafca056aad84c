#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one suite of tests through `lathe test` and compares each outcome with the committed list, SUITE.txt beside this file.

    conformance.py SUITE --lathe PROGRAM [--every N] [--update]
    conformance.py SUITE --lathe PROGRAM --target TARGET --device qemu [--every N]

Any change for the worse fails; a better outcome fails too, until the list says so: --update rewrites the list. Ends with 77
(skipped) where the suite comes from the shared folder and there is none. --every runs each N-th test of the list alone. The
second form is for another kind of machine, which has to give what the list says; it is skipped where there is no emulator or no
runtime of that machine.
"""
import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import outcomes

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import fixtures  # noqa: E402


class Suite(NamedTuple):
    folder: str  # below build/fixtures, or absolute
    title: str
    tolerance: str = "onnx"
    shared: bool = True  # it comes from the shared folder
    cc: str = ""  # by way of C source, which this command compiles
    several: bool = False  # a folder may hold a model in several formats: names are those of files


SUITES = {
    "package": Suite("onnx-nodes", "The node tests that the package onnx 1.23.2 defines", shared=False),
    "c": Suite("onnx-nodes", "The tests of package.txt, by way of C source", shared=False,
               cc="gcc -std=c99 -pedantic -Wall -Wextra -Werror -O1"),
    "debian": Suite("/usr/share/libonnx-testdata/data", "The tests of ONNX 1.12, as Debian packages them", shared=False),
    "newest": Suite("onnx-backend/onnx/backend/test/data", "The newest tests of ONNX"),
    "older": Suite("onnx-backend-old", "Tests of older versions of ONNX's operators, by release"),
    "models": Suite("models", "Models found in the wild", tolerance="model"),
    "networks": Suite("perf", "The networks that Lathe's speed is measured by", tolerance="model"),
    "tflite": Suite("formats/A_tflite", "Operators and networks of TFLite, with what LiteRT gave", several=True),
    "pt2": Suite("formats/E_pt2", "Operators and networks of torch.export, with what PyTorch gave", several=True),
    "keras": Suite("formats/C_keras", "Layers and networks of Keras 2 and 3, with what Keras gave", several=True),
    "tensorflow": Suite("formats/B_tensorflow", "Operators and networks of TensorFlow, with what it gave itself",
                        several=True),
    "torchscript": Suite("formats/D_torchscript", "Operators, language and networks of TorchScript, with what PyTorch gave",
                         several=True),
    "same": Suite("formats/F_same", "Networks in several formats each, with what their engines gave", several=True),
}


def name_of(path, suite):
    """The path below the folder, without /model.onnx or .onnx where a folder holds one model."""
    return str(path) if suite.several else str(path).removesuffix("/model.onnx").removesuffix(".onnx")


def run(options, suite, folder, names):
    """Outcomes by name. names: of those tests; empty: all."""
    paths = [folder / name if (folder / name).exists() else folder / f"{name}.onnx" for name in names] or [folder]
    # Whole networks take minutes under an emulator.
    elsewhere = ["--target", options.target, "--device", options.device, "--timeout", "1200"] if options.target else []
    by_way_of_c = ["--cc", suite.cc] if suite.cc else []
    process = subprocess.run([options.lathe, "test", *paths, "--json", "--tolerance", suite.tolerance, *elsewhere, *by_way_of_c],
                             stdout=subprocess.PIPE, text=True)
    got = {}
    for line in process.stdout.splitlines():
        result = json.loads(line)
        if "path" in result:
            name = name_of(Path(result["path"]).relative_to(folder), suite)
            got[name] = outcomes.Outcome(result["outcome"], result["operator"], message=result["message"])
    return got


def machine_of(lathe, target):
    """As qemu calls it: "aarch64" of "cortex-a72", "riscv64" of "rv64gc"."""
    described = subprocess.run([lathe, "target", "--json", "--target", target], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(described.stdout)["triple"].split("-")[0]


def can_run(lathe, target):
    machine = machine_of(lathe, target)
    runner = lathe.resolve().parent.parent / "share" / "lathe" / "runtimes" / f"{machine}-linux-gnu" / "bin" / "lathe-runner"
    missing = [name for name, there in ((f"qemu-{machine}", shutil.which(f"qemu-{machine}")), (runner, runner.exists())) if not there]
    for name in missing:
        print(f"there is no {name}")
    return not missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--lathe", type=Path, required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--target")
    parser.add_argument("--device", default="qemu")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    options = parser.parse_args()
    if options.target and options.update:
        parser.error("the lists are of this machine: --update goes without --target")
    if options.target and not can_run(options.lathe, options.target):
        sys.exit(77)
    suite = SUITES[options.suite]
    folder = fixtures.CHECKOUT / "build" / "fixtures" / suite.folder
    if not folder.exists():
        fixtures.missing(folder, shared=suite.shared)
    path = Path(__file__).with_name(f"{options.suite}.txt")
    head, expected = outcomes.parse(path.read_text()) if path.exists() else ([], {})
    if options.every > 1:
        expected = dict(sorted(expected.items())[::options.every])
    got = run(options, suite, folder, list(expected) if options.every > 1 else [])
    print(f"{options.suite}{f' for {options.target}' if options.target else ''}: {outcomes.counts(got)}")
    if options.update and options.every == 1:
        unacceptable = [f"{name}: {outcome}  {outcome.message}" for name, outcome in got.items() if outcome.kind in outcomes.NEVER]
        if not unacceptable:
            expected = outcomes.updated(expected, got)
            path.write_text(outcomes.render(head or [f"# {suite.title}."], expected))
        problems = unacceptable + list(outcomes.faults(expected))
    else:
        problems = list(outcomes.faults(expected)) + list(outcomes.changes(expected, got))
    for problem in problems[:100]:
        print(problem)
    if problems:
        update = f"; where they are meant: ./dev conformance --update {options.suite}" if not options.target else ""
        print(f"{len(problems)} differences from {path.name}{update}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
