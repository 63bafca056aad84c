#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mnist-8 as C source on a Cortex-M4 with 256 KiB of flash and 64 KiB of RAM, which QEMU emulates: the scores are those of the
model's test_data_set_0, by the rule for networks; and what it takes of flash, RAM and stack is printed.

    cortex_m.py LATHE MODEL

Ends with 77 (skipped) where gcc-arm-none-eabi, libnewlib-arm-none-eabi or qemu-system-arm is not installed.
"""
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx_data

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import fixtures  # noqa: E402

BOARD = Path(__file__).resolve().parent / "cortex_m"
GCC = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-std=c99", "-O2",
       "-ffunction-sections", "-fdata-sections", "-Wall", "-Wextra", "-Werror"]
QEMU = ["qemu-system-arm", "-M", "mps2-an386", "-display", "none", "-monitor", "none", "-serial", "none",
        "-semihosting-config", "enable=on,target=native"]


def run(*command, **options):
    process = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if process.returncode != 0:
        sys.exit(f"{command[0]} ended with {process.returncode}:\n{process.stdout}")
    return process.stdout


def floats(path):
    tensor = onnx_data.Tensor(path.read_bytes())
    return struct.unpack(f"<{len(tensor.raw) // 4}f", tensor.raw)


def main():
    lathe, model = (Path(argument).resolve() for argument in sys.argv[1:])
    for program in (GCC[0], QEMU[0]):
        if not shutil.which(program):
            print(f"{program} is not installed")
            sys.exit(fixtures.SKIPPED)
    if not model.exists():
        fixtures.missing(model)
    data = model.parent / "test_data_set_0"
    expected = floats(data / "output_0.pb")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(lathe, "compile", model, "--emit", "c", "--weights", "arrays", "--name", "mnist", "-o", folder)
        image = ", ".join(f"{value!r}f" for value in floats(data / "input_0.pb"))
        (folder / "image.h").write_text(f"static const float image[784] = {{{image}}};\n")
        run(*GCC, "-I", folder, BOARD / "board.c", folder / "mnist.c", folder / "mnist_weights.c", "-nostartfiles",
            "-Wl,--gc-sections", "-T", BOARD / "board.ld", "-o", folder / "board.elf", "-lm")
        text, static, zeroed = (int(word) for word in run("arm-none-eabi-size", folder / "board.elf").splitlines()[1].split()[:3])
        words = [int(line, 16) for line in run(*QEMU, "-kernel", folder / "board.elf", timeout=120).split()]
    got = struct.unpack("<10f", struct.pack("<10I", *words[:10]))
    print(f"flash {text + static}, of it the image {4 * 784}; RAM {static + zeroed} and {words[10]} of stack")
    limit = 1e-6 + 1e-3 * max(abs(value) for value in expected)
    worst = max(abs(a - b) for a, b in zip(got, expected, strict=True))
    print(f"largest difference {worst:.3g}, limit {limit:.3g}")
    sys.exit(0 if worst <= limit else 1)


if __name__ == "__main__":
    main()
