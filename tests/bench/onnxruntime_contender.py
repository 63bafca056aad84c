#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime as a contender of `lathe bench`: MODEL THREADS FOLDER.

Prints "ready" once the model is loaded; each line on standard input is one run, answered by its nanoseconds. FOLDER has
the inputs that Lathe runs with: input_0.npy … in the order of the model's inputs. NumPy lacks some narrow types, which
stand there widened, so each is brought to the type that the model declares.
"""
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime

TYPES = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
         "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(int16)": np.int16, "tensor(int8)": np.int8,
         "tensor(uint64)": np.uint64, "tensor(uint32)": np.uint32, "tensor(uint16)": np.uint16,
         "tensor(uint8)": np.uint8, "tensor(bool)": np.bool_}


def feeds(session, folder):
    return {value.name: np.load(folder / f"input_{i}.npy").astype(TYPES[value.type], copy=False)
            for i, value in enumerate(session.get_inputs())}


def main():
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(sys.argv[2])
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
    inputs = feeds(session, Path(sys.argv[3]))
    print("ready", flush=True)
    for _ in sys.stdin:
        start = time.perf_counter_ns()
        session.run(None, inputs)
        print(time.perf_counter_ns() - start, flush=True)


main()
