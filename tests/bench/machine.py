# SPDX-License-Identifier: Apache-2.0
"""What processor this is, as Linux tells."""
import os
import platform
from pathlib import Path

# What of a processor decides how fast networks run: Linux's flag -> its name.
FLAGS = {"avx2": "AVX2", "fma": "FMA", "avx_vnni": "AVX-VNNI", "avx512f": "AVX-512F", "avx512dq": "AVX-512DQ",
         "avx512bw": "AVX-512BW", "avx512vl": "AVX-512VL", "avx512_vnni": "AVX-512VNNI", "avx512_bf16": "AVX-512BF16",
         "avx512_fp16": "AVX-512FP16", "amx_tile": "AMX", "asimd": "NEON", "asimddp": "dot product", "sve": "SVE"}


def field(*names):
    """The first processor's field of one of these names; empty if it has none."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() in names:
            return value.strip()
    return ""


def processor():
    return f"{field('model name') or platform.machine()}, {len(os.sched_getaffinity(0))} processors"


def maker():
    """AMD, Intel or the architecture: what figures differ by."""
    known = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD"}
    return known.get(field("vendor_id"), platform.machine())


def instruction_sets():
    present = field("flags", "Features").split()
    return [name for flag, name in FLAGS.items() if flag in present]
