#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LiteRT, with XNNPACK as it is by default, as a contender of `lathe bench`; contender.py says what it is told and
answers."""
from ai_edge_litert.interpreter import Interpreter
from contender import contend


def load(model, threads, values):
    interpreter = Interpreter(model_path=model, num_threads=threads)
    inputs = interpreter.get_input_details()
    arrays = [values(i, detail["dtype"]) for i, detail in enumerate(inputs)]
    for detail, array in zip(inputs, arrays):
        if tuple(detail["shape"]) != array.shape:
            interpreter.resize_tensor_input(detail["index"], array.shape)
    interpreter.allocate_tensors()
    outputs = [detail["index"] for detail in interpreter.get_output_details()]

    def run():
        for detail, array in zip(inputs, arrays):
            interpreter.set_tensor(detail["index"], array)
        interpreter.invoke()
        return [interpreter.get_tensor(index) for index in outputs]
    return run


contend(load)
