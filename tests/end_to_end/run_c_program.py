#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/examples/run_model.c has fewer than 60 lines; built by gcc against liblathe_rt alone, it runs a compiled model from
two threads with two contexts and gets the expected values, those of the model's test_data_set_0; neither program nor
artifact needs LLVM, protobuf, Qt, fmt or ONNX.

    run_c_program.py BIN_FOLDER SOURCE_FOLDER MODEL

A model that is not there is a failure, but ends the script with 77 (skipped) where there is no shared folder to unpack it
from.
"""

import pathlib
import subprocess
import sys
import tempfile

import onnx_data as data

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import fixtures  # noqa: E402

EXAMPLE = "docs/examples/run_model.c"
UNWANTED = ("LLVM", "protobuf", "Qt", "fmt", "onnx")


def run(*command):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    print(process.stdout + process.stderr, end="")
    if process.returncode != 0:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return process.stdout


def main():
    binaries, sources, model = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    if not model.exists():
        fixtures.missing(model)
    lines = len((sources / EXAMPLE).read_text().splitlines())
    if lines >= 60:
        sys.exit(f"{EXAMPLE} has {lines} lines, 60 or more")
    with tempfile.TemporaryDirectory() as scratch:
        check(binaries, sources, model, pathlib.Path(scratch))


def check(binaries, sources, model, folder):
    source = sources / EXAMPLE
    program, artifact = folder / "run_model", folder / "model.so"
    run(binaries / "lathe", "compile", model, "-o", artifact)
    (folder / "include").mkdir()  # as bundles and packages have it
    (folder / "include/lathe").symlink_to(sources / "compiler/runtime")
    run("gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", source, "-I", folder / "include", "-I", sources / "compiler/abi", "-L", binaries, "-llathe_rt", "-lpthread", "-lm",
        f"-Wl,-rpath,{binaries}", "-o", program)
    sets = model.parent / "test_data_set_0"
    for name, file in (("input", "input_0.pb"), ("expected", "output_0.pb")):
        (folder / name).write_bytes(data.Tensor((sets / file).read_bytes()).raw)
    printed = run(program, artifact, folder / "input", folder / "expected")
    if printed.count(" 0 wrong") != 2:
        sys.exit("not both threads got the expected values")
    for file in (program, artifact):
        needed = run("ldd", file)
        if any(name in needed for name in UNWANTED):
            sys.exit(f"{file} needs more than it should")


if __name__ == "__main__":
    main()
