#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime as a contender of `lathe bench`; contender.py says what it is told and answers."""
import numpy as np
import onnxruntime
from contender import contend

TYPES = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
         "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(int16)": np.int16, "tensor(int8)": np.int8,
         "tensor(uint64)": np.uint64, "tensor(uint32)": np.uint32, "tensor(uint16)": np.uint16,
         "tensor(uint8)": np.uint8, "tensor(bool)": np.bool_}


def load(model, threads, values):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Else its threads spin for 40 ms after a run, which is the next contender's turn; within a run they spin as ever.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    inputs = {value.name: values(i, TYPES[value.type]) for i, value in enumerate(session.get_inputs())}
    return lambda: session.run(None, inputs)


contend(load)
