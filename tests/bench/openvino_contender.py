#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenVINO as a contender of `lathe bench`; contender.py says what it is told and answers.

Inputs are set once and outputs stay where OpenVINO puts them, so nothing is copied in a run. Threads are not pinned: a
pinned one waits for its core where another process is at work on it.
"""
import openvino
from contender import contend


def load(model, threads, values):
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model), "CPU", {
        "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": "f32", "ENABLE_CPU_PINNING": False})
    request = compiled.create_infer_request()
    inputs = [values(i, port.element_type.to_dtype()) for i, port in enumerate(compiled.inputs)]
    for i, array in enumerate(inputs):
        request.set_input_tensor(i, openvino.Tensor(array, shared_memory=True))
    # The tensors look at the arrays' memory, which lives as long as the run.
    return lambda inputs=inputs: request.infer(share_outputs=True)


contend(load)
