# SPDX-License-Identifier: Apache-2.0
"""An ONNX model in the making, and the least work that it is.

Work: `reads` and `writes` are the bytes of operands and results at the model's borders, each moved once; of an operand
that is only gathered from or sliced, as much as the result has. `flops` are two for each multiply-add, taps on padding
included, as everyone counts convolutions. The peak is one of multiply-adds, so whatever else takes an instruction
counts as one of these, and functions as about as many as a good polynomial takes (SLOTS).
"""
from collections import namedtuple
from math import prod

import numpy as np
from onnx import TensorProto, helper, numpy_helper, shape_inference

OPSET, IR_VERSION = 20, 9
TYPES = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "int64": TensorProto.INT64,
         "uint8": TensorProto.UINT8, "bool": TensorProto.BOOL}

# Multiply-adds that an element of the result takes; 1 where nothing else is said.
SLOTS = {"Exp": 10, "Log": 12, "Erf": 15, "Tanh": 15, "Sigmoid": 14, "Gelu": 18, "Softplus": 20, "Mish": 25, "Elu": 12,
         "Sin": 12, "Div": 4, "Sqrt": 4, "HardSigmoid": 2, "HardSwish": 3, "Clip": 2, "LeakyRelu": 2, "PRelu": 2,
         "Softmax": 14, "LogSoftmax": 14, "LayerNormalization": 6, "InstanceNormalization": 5, "LpNormalization": 4}
MOVING = ("Transpose", "Reshape", "Concat", "Split", "Slice", "Pad", "Gather", "DepthToSpace", "SpaceToDepth", "Expand",
          "Tile")
# One for each element of the operand.
OF_OPERAND = ("ReduceMean", "ReduceMax", "ReduceSum", "ReduceSumSquare", "ReduceL2", "ArgMax", "GlobalAveragePool",
              "GlobalMaxPool")
RESIZE_SLOTS = {"nearest": 0, "linear": 4, "cubic": 20}
GATES = {"LSTM": 4, "GRU": 3}

Work = namedtuple("Work", "flops reads writes")


class Graph:
    """Values are names. Constants are drawn at the end, since their elements matter to no rule."""

    def __init__(self):
        self.nodes, self.inputs, self.constants, self.numbers, self.bounds = [], {}, {}, [], {}
        self.generator = np.random.default_rng(0)

    def input(self, shape, dtype="float32", below=None):
        """`below`: indices, drawn from 0 up to this."""
        name = f"x{len(self.inputs)}"
        self.inputs[name] = (dtype, tuple(shape))
        if below:
            self.bounds[name] = below
        return name

    def constant(self, shape, positive=False):
        name = f"w{len(self.constants)}"
        self.constants[name] = (tuple(shape), positive)
        return name

    def fixed(self, values, dtype=np.int64):
        """A constant whose elements do matter: a shape, axes, an epsilon."""
        name = f"c{len(self.numbers)}"
        self.numbers.append(numpy_helper.from_array(np.array(values, dtype), name))
        return name

    def node(self, operator, *operands, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, operands, names, **attributes))
        return names[0] if outputs == 1 else names

    def made(self):
        return [name for node in self.nodes for name in node.output]

    def results(self):
        read = {name for node in self.nodes for name in node.input}
        return [name for name in self.made() if name not in read]

    def inferred(self):
        """The types of all values, by ONNX's own rules: {name: (type, shape)}."""
        known = [(name, TYPES[dtype], shape) for name, (dtype, shape) in self.inputs.items()]
        known += [(name, TensorProto.FLOAT, shape) for name, (shape, _) in self.constants.items()]
        graph = helper.make_graph(self.nodes, "shapes", [helper.make_tensor_value_info(*value) for value in known],
                                  [helper.make_empty_tensor_value_info(name) for name in self.made()], self.numbers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        graph = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph
        values = [*graph.input, *graph.value_info, *graph.output]
        types = {value.name: (value.type.tensor_type.elem_type,
                              tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)) for value in values}
        return types | {number.name: (number.data_type, tuple(number.dims)) for number in self.numbers}

    def shape(self, value):
        return self.inferred()[value][1]

    def draw(self, shape, positive):
        values = self.generator.standard_normal(shape, np.float32) * np.float32(0.1)
        return np.abs(values) + np.float32(0.5) if positive else values

    def write(self, folder):
        """Writes the model, and its inputs where chance would not do; returns the model's path."""
        types = self.inferred()
        inputs = [helper.make_tensor_value_info(name, *types[name]) for name in self.inputs]
        constants = [numpy_helper.from_array(self.draw(*kind), name) for name, kind in self.constants.items()]
        results = [helper.make_tensor_value_info(name, *types[name]) for name in self.results()]
        graph = helper.make_graph(self.nodes, "kernel", inputs, results, constants + self.numbers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        path = folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
        if self.bounds:
            data = folder / "test_data_set_0"
            data.mkdir()
            for i, (name, (_, shape)) in enumerate(self.inputs.items()):
                bound = self.bounds.get(name)
                values = self.generator.integers(bound, size=shape) if bound else self.draw(shape, False)
                (data / f"input_{i}.pb").write_bytes(numpy_helper.from_array(values, name).SerializeToString())
        return path

    def work(self):
        types = self.inferred()
        readers = {}
        for node in self.nodes:
            for position, name in enumerate(node.input):
                readers.setdefault(name, []).append((node, position))

        def size(name):
            return prod(types[name][1]) * helper.tensor_dtype_to_np_dtype(types[name][0]).itemsize

        def moved(name):
            if all(node.op_type in ("Gather", "Slice") and position == 0 for node, position in readers[name]):
                return min(size(name), sum(size(node.output[0]) for node, _ in readers[name]))
            return size(name)

        reads = sum(moved(name) for name in (*self.inputs, *self.constants))
        shapes = {name: shape for name, (_, shape) in types.items()}
        return Work(2 * sum(slots(node, shapes) for node in self.nodes), reads,
                    sum(size(name) for name in self.results()))


def slots(node, shapes):
    """The multiply-adds of a node."""
    kind = node.op_type
    result = prod(shapes[node.output[0]])
    operand = shapes[node.input[0]]
    attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    if kind == "Conv":
        return result * prod(shapes[node.input[1]][1:])
    if kind == "ConvTranspose":
        return prod(operand) * prod(shapes[node.input[1]][1:])
    if kind in ("MatMul", "Gemm"):
        return result * operand[-1]
    if kind in ("MaxPool", "AveragePool"):
        return result * prod(attributes["kernel_shape"])
    if kind in GATES:
        weights = prod(shapes[node.input[1]]) + prod(shapes[node.input[2]])
        return operand[0] * operand[1] * weights + result * (GATES[kind] + 1) * SLOTS["Sigmoid"]
    if kind == "Resize":
        return result * RESIZE_SLOTS[attributes["mode"].decode()]
    if kind in MOVING:
        return 0
    return prod(operand) if kind in OF_OPERAND else result * SLOTS.get(kind, 1)
