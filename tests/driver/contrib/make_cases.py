#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes cases.json, the truth of plugins/contrib: small models of one node, inputs, and what ONNX Runtime gives for them.

    make_cases.py OUT     # with onnx and onnxruntime installed

Inputs are made of a fixed formula, so that the file changes only where ONNX Runtime does.
"""

import json
import sys

import numpy as np
import onnx
import onnx.parser
import onnxruntime

TYPES = {"float": np.float32, "int64": np.int64, "int32": np.int32, "uint8": np.uint8, "int8": np.int8}


def reals(*dims):
    count = int(np.prod(dims))
    return (((np.arange(count) * 37) % 64 - 31) / 16).astype(np.float32).reshape(dims)


def whole(kind, values):
    return np.array(values, TYPES[kind])


def ids(kind, *dims, most):
    return ((np.arange(int(np.prod(dims))) * 7) % most).astype(TYPES[kind]).reshape(dims)


X, V = reals(2, 3, 4), reals(4) / 2
HALF = (np.cos(reals(8, 2)), np.sin(reals(8, 2)))
NORM = {"input": X, "skip": reals(2, 3, 4)[::-1].copy(), "gamma": V + 1, "beta": V, "bias": V * 2}
TINY = {**NORM, "input": NORM["input"] * np.float32(1e-6), "skip": NORM["skip"] * np.float32(1e-6)}
EMBED = {"ids": ids("int32", 2, 3, most=5), "seg": ids("int32", 2, 3, most=2), "word": reals(5, 4), "pos": reals(6, 4),
         "segs": reals(2, 4), "gamma": V + 1, "beta": V, "mask": whole("int32", [[1, 1, 0], [1, 0, 0]]),
         "places": whole("int32", [[1, 0, 2], [3, 4, 5]])}
QUANT = {"a": ids("uint8", 2, 3, most=250), "b": ids("int8", 3, 4, most=100), "sa": np.float32(0.05).reshape(()),
         "sb": np.float32(0.02).reshape(()), "za": np.uint8(7).reshape(()), "zb": np.int8(3).reshape(()), "bias": V}
ROTARY = {"x": reals(2, 3, 8), "p": ids("int64", 2, 3, most=8), "c": HALF[0], "s": HALF[1]}
ROTARY4 = {**ROTARY, "x": reals(2, 2, 3, 4)}
PAD = {"x": reals(2, 3), "p": whole("int64", [1, 0, 0, 2])}

# node, its inputs
CASES = [
    ("y = com.microsoft.Gelu (x)", {"x": X}),
    ("y = com.microsoft.FastGelu (x)", {"x": X}),
    ("y = com.microsoft.FastGelu (x, b)", {"x": X, "b": V}),
    ("y = com.microsoft.BiasGelu (x, b)", {"x": X, "b": V}),
    ("y = com.microsoft.QuickGelu (x)", {"x": X}),
    ("y = com.microsoft.QuickGelu <alpha = 0.5> (x)", {"x": X}),
    ("y = com.microsoft.SkipLayerNormalization (input, skip, gamma)", NORM),
    ("y = com.microsoft.SkipLayerNormalization <epsilon = 0.1> (input, skip, gamma, beta, bias)", NORM),
    ("y, , , sum = com.microsoft.SkipLayerNormalization (input, skip, gamma, , bias)", NORM),
    ("y = com.microsoft.SkipSimplifiedLayerNormalization <epsilon = 0.1> (input, skip, gamma)", NORM),
    ("y, , , sum = com.microsoft.SkipSimplifiedLayerNormalization <epsilon = 0.00001> (input, skip, gamma, bias)", NORM),
    ("y, m = com.microsoft.EmbedLayerNormalization (ids, seg, word, pos, segs, gamma, beta, mask)", EMBED),
    ("y, m, sum = com.microsoft.EmbedLayerNormalization <epsilon = 0.1> (ids, , word, pos, , gamma, beta)", EMBED),
    ("y, m = com.microsoft.EmbedLayerNormalization (ids, seg, word, pos, segs, gamma, beta, , places)", EMBED),
    # So small that the epsilon by default is seen.
    ("y = com.microsoft.SkipLayerNormalization (input, skip, gamma)", TINY),
    ("y = com.microsoft.SkipSimplifiedLayerNormalization (input, skip, gamma)", TINY),
    ("y, m = com.microsoft.EmbedLayerNormalization <mask_index_type = 1> (ids, seg, word, pos, segs, gamma, beta)",
     {**EMBED, **{name: EMBED[name] * np.float32(1e-6) for name in ("word", "pos", "segs")}}),
    ("y = com.microsoft.FusedMatMul (a, b)", {"a": reals(2, 3, 4), "b": reals(4, 5)}),
    ("y = com.microsoft.FusedMatMul <alpha = 0.5, transA = 1> (a, b)", {"a": reals(2, 4, 3), "b": reals(2, 4, 5)}),
    ("y = com.microsoft.FusedMatMul <alpha = -2.0, transB = 1> (a, b)", {"a": reals(3, 4), "b": reals(5, 4)}),
    ("y = com.microsoft.TransposeMatMul <transA = 1, transB = 1> (a, b)", {"a": reals(4, 3), "b": reals(5, 4)}),
    ("y = com.microsoft.CDist (a, b)", {"a": reals(3, 4), "b": reals(2, 4) * 2}),
    ("y = com.microsoft.RotaryEmbedding (x, p, c, s)", ROTARY),
    ("y = com.microsoft.RotaryEmbedding <interleaved = 1> (x, p, c, s)", ROTARY),
    ("y = com.microsoft.RotaryEmbedding <num_heads = 2> (x, o, c, s)", {**ROTARY, "o": whole("int64", [4])}),
    ("y = com.microsoft.RotaryEmbedding (x, p, c, s)", ROTARY4),
    ("y = com.microsoft.Trilu (x)", {"x": X}),
    ("y = com.microsoft.Trilu <upper = 0> (x, k)", {"x": X, "k": whole("int64", -1)}),
    ("y = com.microsoft.ExpandDims (x, a)", {"x": X, "a": whole("int32", 1)}),
    ("y = com.microsoft.GatherND (x, i)", {"x": X, "i": whole("int64", [[0, 1], [1, 2]])}),
    ("y = com.microsoft.Pad (x, p)", PAD),
    ("y = com.microsoft.Pad <mode = \"reflect\"> (x, p)", PAD),
    ("y = com.microsoft.Pad (x, p, v)", {**PAD, "v": np.array([0.5], np.float32)}),
    ("y = com.microsoft.Range (a, b)", {"a": whole("int64", 2), "b": whole("int64", 6)}),
    ("y = com.microsoft.Range (a, b, c)", {k: np.array(v, np.float32) for k, v in zip("abc", (1, 3, 0.5))}),
    ("y = com.microsoft.MatMulIntegerToFloat (a, b, sa, sb)", QUANT),
    ("y = com.microsoft.MatMulIntegerToFloat (a, b, sa, sb, za, zb, bias)", QUANT),
    ("y = com.microsoft.DynamicQuantizeMatMul (x, b, sb, zb, bias)", {**QUANT, "x": reals(2, 3)}),
    ("y = com.microsoft.DynamicQuantizeMatMul (x, b, sb)", {**QUANT, "x": reals(2, 3)}),
]
# Inputs that have to be known while a model is compiled.
KNOWN = {"ExpandDims": "a", "Pad": "p", "Trilu": "k", "Range": "abc"}


def typed(name, array):
    kind = next(kind for kind, dtype in TYPES.items() if array.dtype == dtype)
    return f"{kind}[{','.join(map(str, array.shape))}] {name}" if array.shape else f"{kind} {name}"


def model_text(node, inputs):
    """Outputs have a rank that ONNX Runtime finds; the text names their element types alone."""
    op = node.split("com.microsoft.")[1].split(" ")[0]
    used = {n.strip() for n in node[node.rindex("(") + 1:-1].split(",")} - {""}
    outputs = [n.strip() for n in node.split("=")[0].split(",") if n.strip()]
    known = {n for n in used if n in KNOWN.get(op, "")}
    kinds = {"m": "int32", "y": "int64" if op == "Range" and inputs["a"].dtype == np.int64 else "float"}
    text = ("<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft\" : 1]>\ng ("
            + ", ".join(typed(n, a) for n, a in inputs.items() if n in used - known) + ") => ("
            + ", ".join(f"{kinds.get(n, 'float')}[] {n}" for n in outputs) + ")")
    if known:
        text += " <" + ", ".join(f"{typed(n, inputs[n])} = {{{','.join(map(str, inputs[n].ravel().tolist()))}}}"
                                 for n in inputs if n in known) + ">"
    return text + " { " + node + " }", used - known


def as_json(array):
    kind = next(kind for kind, dtype in TYPES.items() if array.dtype == dtype)
    return {"type": kind, "dims": list(array.shape), "values": array.ravel().tolist()}


def main():
    cases = []
    for node, inputs in CASES:
        text, used = model_text(node, inputs)
        model = onnx.parser.parse_model(text)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        given = {name: np.asarray(array) for name, array in inputs.items() if name in used}
        outputs = session.run(None, given)
        cases.append({"model": text, "inputs": {name: as_json(array) for name, array in given.items()},
                      "outputs": [as_json(np.asarray(output)) for output in outputs]})
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(f'{{"made_by": "ONNX Runtime {onnxruntime.__version__}, CPU",\n "cases": [\n')
        file.write(",\n".join(json.dumps(case) for case in cases) + "\n]}\n")


if __name__ == "__main__":
    main()
