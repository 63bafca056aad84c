# SPDX-License-Identifier: Apache-2.0
"""make_models.py FOLDER: small models for the tests of Python, by the onnx package."""
import sys
from pathlib import Path

import onnx.parser

MODELS = {
    "plain": "g (float[2,3] x) => (float[2,3] y) { t = Tanh (x) y = Mul (t, x) }",
    "open": "g (float[n,4] x) => (float[n,4] y, float[n] z) <int64[1] axis = {1}>"
            "{ y = Relu (x) z = ReduceSum <keepdims = 0> (x, axis) }",
    "pick": "g (float[4] x, int64[2] i) => (float[2] y) { y = Gather (x, i) }",
    "half": "g (float16[4] x) => (float16[4] y) { y = Add (x, x) }",
    "brain": "g (bfloat16[4] x) => (bfloat16[4] y) { y = Add (x, x) }",
    "nibbles": "g (int4[3] x) => (float[3] y) { y = Cast <to = 1> (x) }",
    "flags": "g (bool[3] x, int8[3] i) => (bool[3] y, int8[3] j) { y = Not (x) j = Add (i, i) }",
    "sum": "g (float[256,256] x) => (float[256,256] y) { t = MatMul (x, x) y = Add (t, x) }",
    "rows": "g (float[n,64] x, float[64,64] w) => (float[n,64] y) { y = MatMul (x, w) }",
    "named": "g (float[3] copy, float[3] out, float[3] self) => (float[3] y) { t = Sub (copy, out) y = Add (t, self) }",
    "weighted": "g (float[64] x) => (float[64] y) <float[64] w = {%s}> { y = Add (x, w) }" % ", ".join(map(str, range(64))),
    "parted": "g (float[3,2] x) => (seq(float[1,2]) q) { q = SplitToSequence <axis = 0> (x) }",
    "joined": "g (seq(float[n]) q) => (float[m] y) { y = ConcatFromSequence <axis = 0> (q) }",
    "held": "g (optional(float[2]) o) => (bool y) { y = OptionalHasElement (o) }",
    "undeclared": "g (float[] x) => (float[] y) { y = Relu (x) }",
    "refused": "g (float[2] x) => (float[2] y) { y = Imagined (x) }",
}
for name, text in MODELS.items():
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]>\n{text}')
    for number, node in enumerate(model.graph.node):
        node.name = f"{node.op_type}_{number}"
    onnx.save(model, Path(sys.argv[1], f"{name}.onnx"))
