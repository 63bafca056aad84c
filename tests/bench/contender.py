# SPDX-License-Identifier: Apache-2.0
"""The side of `lathe bench` that contenders share: the command is CONTENDER [--model OTHER] MODEL THREADS FOLDER. Where
Lathe runs an artifact, OTHER is the model in its place.

Prints "ready" once the model is loaded; each line on standard input is one run, answered by its nanoseconds. FOLDER has
the inputs that Lathe runs with: input_0.npy … in the order of the model's inputs. NumPy lacks some narrow types, which
stand there widened, so each is brought to the type that the model declares.
"""
import sys
import time
from pathlib import Path

import numpy as np


def contend(load):
    """LOAD makes a run without arguments of the model, the number of threads, and a function from an input's place and
    type to its values."""
    model, threads, folder = sys.argv[-3:]
    if sys.argv[1] == "--model":
        model = sys.argv[2]
    run = load(model, int(threads), lambda i, dtype: np.ascontiguousarray(
        np.load(Path(folder) / f"input_{i}.npy").astype(dtype, copy=False)))
    print("ready", flush=True)
    for _ in sys.stdin:
        start = time.perf_counter_ns()
        run()
        print(time.perf_counter_ns() - start, flush=True)
