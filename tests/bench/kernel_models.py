# SPDX-License-Identifier: Apache-2.0
"""Makes the ONNX model of a line of kernel_shapes.py.

A stage is a function from the graph, the value before, the operator and the words behind it to the stage's value.
"""
import numpy as np

from kernel_graph import GATES, TYPES, Graph


def numbers(text, separator):
    return [int(part) for part in text.split(separator)]


def window_of(shape, words):
    """The attributes of a window from the words k, s, d, p, by spatial axis."""
    rank = len(shape) - 2
    given = {word[0]: numbers(word[1:], "x") for word in words if word[0] in "ksdp" and word[1:2].isdigit()}
    axes = {letter: values * rank if len(values) == 1 else values for letter, values in given.items()}
    window, steps, dilations = axes["k"], axes.get("s", [1] * rank), axes.get("d", [1] * rank)
    padding = axes.get("p", [dilation * (k - 1) // 2 for k, dilation in zip(window, dilations)])
    return {"kernel_shape": window, "strides": steps, "dilations": dilations, "pads": padding * 2}


def groups_of(words):
    return next((int(word[1:]) for word in words if word[0] == "g"), 1)


def conv(graph, value, operator, words):
    shape, channels, groups = graph.shape(value), int(words[0]), groups_of(words)
    window = window_of(shape, words[1:])
    dims = (channels, shape[1] // groups) if operator == "Conv" else (shape[1], channels // groups)
    return graph.node(operator, value, graph.constant((*dims, *window["kernel_shape"])), graph.constant((channels,)),
                      group=groups, **window)


def pool(graph, value, operator, words):
    return graph.node(operator, value, **window_of(graph.shape(value), words))


def matmul(graph, value, operator, words):
    """MatMul KxN, of a batch BxKxN. With `transposed` the right operand is stored as NxK."""
    dims = numbers(words[0], "x")
    transposed = "transposed" in words
    stored = (*dims[:-2], dims[-1], dims[-2]) if transposed else tuple(dims)
    right = graph.input(stored) if "variable" in words else graph.constant(stored)
    if operator == "Gemm":
        return graph.node("Gemm", value, right, graph.constant((dims[-1],)), transB=int(transposed))
    if transposed:
        axes = list(range(len(dims)))
        right = graph.node("Transpose", right, perm=[*axes[:-2], axes[-1], axes[-2]])
    return graph.node("MatMul", value, right)


def binary(graph, value, operator, words):
    dims = numbers(words[-1], "x")
    if words[0] == "constant":
        return graph.node(operator, value, graph.constant(dims, positive=True))
    dtype = next(name for name, number in TYPES.items() if number == graph.inferred()[value][0])
    return graph.node(operator, value, graph.input(dims, dtype))


def prelu(graph, value, operator, words):
    return graph.node(operator, value, graph.constant(numbers(words[0], "x")))


def clip(graph, value, operator, words):
    return graph.node(operator, value, *(graph.fixed(float(word), np.float32) for word in words))


def where(graph, value, operator, words):
    return graph.node(operator, graph.input(numbers(words[0], "x"), "bool"), value, graph.fixed(-1e4, np.float32))


def cast(graph, value, operator, words):
    return graph.node(operator, value, to=TYPES[words[0]])


def swish(graph, value, *_):
    return graph.node("Mul", value, graph.node("Sigmoid", value))


def gelu_parts(graph, value, *_):
    """As exporters write it: x * (erf(x / √2) + 1) * 0.5."""
    erf = graph.node("Erf", graph.node("Div", value, graph.fixed(2 ** 0.5, np.float32)))
    return graph.node("Mul", graph.node("Mul", value, graph.node("Add", erf, graph.fixed(1, np.float32))),
                      graph.fixed(0.5, np.float32))


def gelu_tanh_parts(graph, value, *_):
    cube = graph.node("Mul", graph.node("Mul", value, value), value)
    cube = graph.node("Mul", cube, graph.fixed(0.044715, np.float32))
    inner = graph.node("Mul", graph.node("Add", value, cube), graph.fixed(0.7978846, np.float32))
    outer = graph.node("Add", graph.node("Tanh", inner), graph.fixed(1, np.float32))
    return graph.node("Mul", graph.node("Mul", value, outer), graph.fixed(0.5, np.float32))


def reduce(graph, value, operator, words):
    return graph.node(operator, value, graph.fixed(numbers(words[0], ",")))


def arg_max(graph, value, operator, words):
    return graph.node(operator, value, axis=int(words[0]))


def cum_sum(graph, value, operator, words):
    return graph.node(operator, value, graph.fixed(int(words[0])))


def softmax(graph, value, operator, words):
    return graph.node(operator, value, axis=int(words[0]))


def layer_norm(graph, value, operator, _):
    columns = graph.shape(value)[-1:]
    return graph.node(operator, value, graph.constant(columns), graph.constant(columns))


def layer_norm_parts(graph, value, *_):
    columns, last = graph.shape(value)[-1:], graph.fixed([-1])
    centred = graph.node("Sub", value, graph.node("ReduceMean", value, last))
    variance = graph.node("ReduceMean", graph.node("Pow", centred, graph.fixed(2, np.float32)), last)
    deviation = graph.node("Sqrt", graph.node("Add", variance, graph.fixed(1e-5, np.float32)))
    scaled = graph.node("Mul", graph.node("Div", centred, deviation), graph.constant(columns))
    return graph.node("Add", scaled, graph.constant(columns))


def rms_norm_parts(graph, value, *_):
    mean = graph.node("ReduceMean", graph.node("Mul", value, value), graph.fixed([-1]))
    root = graph.node("Sqrt", graph.node("Add", mean, graph.fixed(1e-6, np.float32)))
    return graph.node("Mul", graph.node("Div", value, root), graph.constant(graph.shape(value)[-1:]))


def instance_norm(graph, value, operator, _):
    channels = (graph.shape(value)[1],)
    return graph.node(operator, value, graph.constant(channels), graph.constant(channels))


def group_norm(graph, value, _, words):
    """As exporters write it: an InstanceNormalization of the groups, then scale and shift by channel."""
    shape, groups = graph.shape(value), int(words[0])
    split = graph.node("Reshape", value, graph.fixed([0, groups, -1]))
    normal = graph.node("InstanceNormalization", split, graph.fixed([1] * groups, np.float32),
                        graph.fixed([0] * groups, np.float32))
    joined = graph.node("Reshape", normal, graph.fixed(shape))
    scaled = graph.node("Mul", joined, graph.constant((shape[1], 1, 1)))
    return graph.node("Add", scaled, graph.constant((shape[1], 1, 1)))


def batch_norm(graph, value, operator, _):
    channels = (graph.shape(value)[1],)
    scale, shift, mean = (graph.constant(channels) for _ in range(3))
    return graph.node(operator, value, scale, shift, mean, graph.constant(channels, positive=True))


def transpose(graph, value, operator, words):
    return graph.node(operator, value, perm=numbers(words[0], ","))


def reshape(graph, value, operator, words):
    return graph.node(operator, value, graph.fixed(numbers(words[0], ",")))


def channel_shuffle(graph, value, _, words):
    n, channels, *image = graph.shape(value)
    groups = int(words[0])
    split = graph.node("Reshape", value, graph.fixed([n, groups, channels // groups, *image]))
    mixed = graph.node("Transpose", split, perm=[0, 2, 1, *range(3, 3 + len(image))])
    return graph.node("Reshape", mixed, graph.fixed([n, channels, *image]))


def concat(graph, value, operator, words):
    return graph.node(operator, value, graph.input(numbers(words[1], "x")), axis=int(words[0]))


def split(graph, value, operator, words):
    parts = int(words[1])
    return graph.node(operator, value, outputs=parts, axis=int(words[0]), num_outputs=parts)


def cut(graph, value, operator, words):
    """Slice AXIS BEGIN:END:STEP."""
    begin, end, step = numbers(words[1], ":")
    return graph.node(operator, value, *(graph.fixed([number]) for number in (begin, end, int(words[0]), step)))


def pad(graph, value, operator, words):
    mode = words[1] if len(words) > 1 else "constant"
    return graph.node(operator, value, graph.fixed(numbers(words[0], ",") * 2), mode=mode)


def gather(graph, value, operator, words):
    axis = int(words[0])
    indices = graph.input(numbers(words[1], "x"), "int64", below=graph.shape(value)[axis])
    return graph.node(operator, value, indices, axis=axis)


def resize(graph, value, operator, words):
    rank = len(graph.shape(value)) - 2
    scales = graph.fixed([1, 1] + [int(words[1])] * rank, np.float32)
    return graph.node(operator, value, "", scales, mode=words[0], nearest_mode="floor",
                      coordinate_transformation_mode="asymmetric" if words[0] == "nearest" else "half_pixel")


def blocks(graph, value, operator, words):
    return graph.node(operator, value, blocksize=int(words[0]))


def expand(graph, value, operator, words):
    return graph.node(operator, value, graph.fixed(numbers(words[0], "x")))


def recurrent(graph, value, operator, words):
    hidden, features = int(words[0]), graph.shape(value)[-1]
    both = "bidirectional" in words
    rows = GATES[operator] * hidden
    weights = [graph.constant((1 + both, rows, columns)) for columns in (features, hidden)]
    return graph.node(operator, value, *weights, graph.constant((1 + both, 2 * rows)), hidden_size=hidden,
                      direction="bidirectional" if both else "forward",
                      **({"linear_before_reset": 1} if operator == "GRU" else {}))


def plain(graph, value, operator, _):
    return graph.node(operator, value)


STAGES = {
    **dict.fromkeys(("Conv", "ConvTranspose"), conv),
    **dict.fromkeys(("MaxPool", "AveragePool"), pool),
    **dict.fromkeys(("MatMul", "Gemm"), matmul),
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "Greater"), binary),
    **dict.fromkeys(("ReduceMean", "ReduceMax", "ReduceSum", "ReduceSumSquare", "ReduceL2"), reduce),
    **dict.fromkeys(("Softmax", "LogSoftmax"), softmax),
    **dict.fromkeys(("DepthToSpace", "SpaceToDepth"), blocks),
    **dict.fromkeys(("Reshape", "Tile"), reshape),
    **dict.fromkeys(("LSTM", "GRU"), recurrent),
    "PRelu": prelu, "Clip": clip, "Where": where, "Cast": cast, "Swish": swish, "GeluParts": gelu_parts,
    "GeluTanhParts": gelu_tanh_parts, "ArgMax": arg_max, "CumSum": cum_sum, "LayerNormalization": layer_norm,
    "LayerNormParts": layer_norm_parts, "RmsNormParts": rms_norm_parts, "InstanceNormalization": instance_norm,
    "GroupNorm": group_norm, "BatchNormalization": batch_norm, "Transpose": transpose,
    "ChannelShuffle": channel_shuffle, "Concat": concat, "Split": split, "Slice": cut, "Pad": pad, "Gather": gather,
    "Resize": resize, "Expand": expand,
}


def model_of(line):
    """The Graph of a line."""
    graph = Graph()
    first, *rest = line.split(" ", 1)
    dims, _, dtype = first.partition(":")
    value = graph.input(numbers(dims, "x"), dtype or "float32")
    for stage in rest[0].split(" | "):
        operator, *words = stage.split(" ")
        value = STAGES.get(operator, plain)(graph, value, operator, words)
    return graph
