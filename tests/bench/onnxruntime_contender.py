#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime as a contender of `lathe bench`: MODEL THREADS [DATA_FOLDER].

Prints "ready" once the model is loaded; each line on standard input is one run, answered by its nanoseconds. Inputs are
input_0.pb … of the data folder; without one zeros, unknown sizes being 1.
"""
import sys
import time
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper
import onnxruntime

TYPES = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
         "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(int8)": np.int8, "tensor(uint8)": np.uint8,
         "tensor(bool)": np.bool_}


def feeds(session, folder):
    result = {}
    for i, value in enumerate(session.get_inputs()):
        file = Path(folder) / f"input_{i}.pb" if folder else None
        if file and file.exists():
            tensor = onnx.TensorProto.FromString(file.read_bytes())
            result[tensor.name or value.name] = onnx.numpy_helper.to_array(tensor)
        else:
            shape = [size if isinstance(size, int) else 1 for size in value.shape]
            result[value.name] = np.zeros(shape, TYPES[value.type])
    return result


def main():
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(sys.argv[2])
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
    inputs = feeds(session, sys.argv[3] if len(sys.argv) > 3 else "")
    print("ready", flush=True)
    for _ in sys.stdin:
        start = time.perf_counter_ns()
        session.run(None, inputs)
        print(time.perf_counter_ns() - start, flush=True)


main()
