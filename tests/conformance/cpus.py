#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model on CPUs that have what it was compiled for, and on CPUs that have not: those refuse it by what they lack, before any of
its code runs. Never is it an illegal instruction, never a wrong number.

    cpus.py --lathe PROGRAM

CPUs are qemu's. Ends with 77 (skipped) where there is no emulator or no runtime for any of them.
"""
import argparse
import shutil
import subprocess
import sys
from pathlib import Path

MODEL = Path("/usr/share/libonnx-testdata/data/node/test_matmul_2d/model.onnx")
SVE = "aarch64-linux-gnu:neoverse-v1::vector=256"
ZVL256 = "riscv64-linux-gnu:rv64gcv:+zvl256b"
V = "rv64,v=true,vext_spec=v1.0"

# Kind of machine, target, CPU, and what the refusal says; None: it runs.
CASES = [
    ("x86_64", "x86-64-v2", "Nehalem", None),
    ("x86_64", "x86-64-v2", "Penryn", "it needs popcnt, sse4.2; this CPU (Intel Core 2 Duo"),
    ("x86_64", "x86-64-v3", "Haswell", None),
    ("x86_64", "x86-64-v3", "Nehalem", "it needs avx, avx2, bmi, bmi2, f16c, fma, lzcnt, movbe; this CPU"),
    ("x86_64", "x86-64-v4", "Haswell", "it needs avx512bw, avx512cd, avx512dq, avx512f, avx512vl; this CPU"),
    ("aarch64", "cortex-a53", "cortex-a53", None),
    ("aarch64", "cortex-a76", "cortex-a76", None),
    ("aarch64", "cortex-a76", "cortex-a72", "it needs dotprod, fullfp16, lse, rcpc, rdm; this CPU has crc, fp-armv8, neon: "),
    ("aarch64", "neoverse-v1", "max,sve-default-vector-length=64", None),  # NEON
    ("aarch64", SVE, "max,sve-default-vector-length=32", None),
    ("aarch64", SVE, "max,sve-default-vector-length=16", "made for SVE of 256 bits; this CPU has vectors of 128 bits: "),
    ("aarch64", SVE, "max,sve-default-vector-length=64", "made for SVE of 256 bits; this CPU has vectors of 512 bits: "),
    ("aarch64", SVE, "cortex-a72", " sve, and is made for SVE of 256 bits; this CPU has crc, fp-armv8, neon, and no such vectors: "),
    ("riscv64", "rv64gc", "rv64", None),
    ("riscv64", "rv64gcv", "rv64", "it needs v, and is made for vectors of at least 128 bits; this CPU has a, c, d, f, m"),
    ("riscv64", "rv64gcv", f"{V},vlen=256", None),
    ("riscv64", ZVL256, f"{V},vlen=256", None),
    ("riscv64", ZVL256, f"{V},vlen=128", "it is made for vectors of at least 256 bits; this CPU has vectors of 128 bits: "),
    ("riscv64", "riscv64-linux-gnu:rv64gc:+zba", "rv64,zba=false", "it needs zba; this CPU has a, c, d, f, m"),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lathe", type=Path, required=True)
    lathe = parser.parse_args().lathe
    runtimes = lathe.resolve().parent.parent / "share" / "lathe" / "runtimes"
    there = {machine for machine, *_ in CASES if shutil.which(f"qemu-{machine}")
             and (runtimes / f"{machine}-linux-gnu" / "bin" / "lathe-runner").exists()}
    if not there:
        print("there is no emulator, or no runtime for one")
        sys.exit(77)
    wrong = 0
    for machine, target, cpu, refusal in CASES:
        if machine not in there:
            continue
        run = subprocess.run([lathe, "run", MODEL, "--target", target, "--device", f"qemu:{cpu}"], capture_output=True, text=True)
        good = run.returncode == 0 if refusal is None else run.returncode == 1 and refusal in run.stderr
        wrong += not good
        if not good:
            print(f"{target} on {cpu}: {run.returncode}, {run.stderr.strip()}\n    expected: {refusal or 'it runs'}")
    print(f"{', '.join(sorted(there))}: {wrong} of {sum(case[0] in there for case in CASES)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
