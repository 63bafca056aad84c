// SPDX-License-Identifier: Apache-2.0
//
// Normalizations. Their statistics are taken in float32 at least.
#include "frontend/keras/ops.h"
#include "relay/attrs.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

Dims dimsOf(Builder& b, Var x, const Ints& axes) {
    Dims dims;
    for (const int64_t axis : axes)
        dims.push_back(dim(b, x, axis));
    return dims;
}

/// The layer's axes, ascending, of x; the last if it names none.
Ints axesOf(Layer& layer, Var x) {
    Ints axes = layer.integers("axis");
    if (axes.empty())
        axes = {-1};
    axes = layer.b.failed() ? Ints{} : layer.node.axes(std::move(axes), layer.b.rank(x));
    std::ranges::sort(axes);
    return axes;
}

/// A weight over `axes` of x as it broadcasts to x.
Var spread(Builder& b, Var weight, Var x, const Ints& axes) {
    if (b.failed())
        return {};
    Dims shape(static_cast<size_t>(b.rank(x)), Expr(1));
    for (const int64_t axis : axes)
        shape[static_cast<size_t>(axis)] = dim(b, x, axis);
    return reshape(b, weight, shape);
}

/// y · gamma + beta, as far as the layer has them.
Var scaled(Layer& layer, Var y, const Ints& axes) {
    Builder& b = layer.b;
    for (const char* name : {"gamma", "beta"}) {
        if (b.failed() || !layer.hasWeight(name))
            continue;
        const Var weight = spread(b, layer.weight(name, dimsOf(b, y, axes), b.dtype(y)), y, axes);
        y = name[0] == 'g' ? mul(b, y, weight) : add(b, y, weight);
    }
    return y;
}

Var centeredOf(Builder& b, Var x, const Ints& axes) {
    return sub(b, x, reduce(b, "mean", x, axes, true));
}

/// sqrt(variance + epsilon).
Var deviationOf(Builder& b, Var x, const Ints& axes, double epsilon) {
    const Var centered = centeredOf(b, x, axes);
    return b.call(Op::Sqrt, {addTo(b, reduce(b, "mean", mul(b, centered, centered), axes, true), epsilon)});
}

/// (x - mean) / sqrt(variance + epsilon), both over these axes.
Var standardized(Builder& b, Var x, const Ints& axes, double epsilon) {
    return div(b, centeredOf(b, x, axes), deviationOf(b, x, axes, epsilon));
}

/// x in the type that statistics are taken in.
Var wide(Layer& layer, Var x) {
    return layer.b.failed() ? x : cast(layer.b, x, computeType(layer.b, x));
}

void giveNarrow(Layer& layer, Var y) {
    if (!layer.b.failed())
        layer.give(cast(layer.b, y, layer.computed()));
}

Var ones(Layer& layer, const Expr& size) {
    return full(layer.b, layer.b.scalar(1, types::Float32), {size});
}

} // namespace

void convertBatchNormalization(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = wide(layer, layer.in());
    const Ints axes = axesOf(layer, x);
    if (b.failed())
        return;
    if (axes.size() != 1)
        return node.refuse("normalization over several axes is not supported", "normalize one axis");
    if (layer.flag("renorm", false))
        return node.refuse("batch renormalization is not supported", "build the model with renorm=False");
    relay::NormAttrs attrs;
    attrs.axis = axes[0];
    attrs.epsilon = layer.number("epsilon", 1e-3);
    const Dims dims = dimsOf(b, x, axes);
    const DataType dtype = b.dtype(x);
    const Var mean = layer.weight("moving_mean", dims, dtype), variance = layer.weight("moving_variance", dims, dtype);
    const Var gamma =
        layer.hasWeight("gamma") ? layer.weight("gamma", dims, dtype) : cast(b, ones(layer, dims[0]), dtype);
    const Var beta =
        layer.hasWeight("beta") ? layer.weight("beta", dims, dtype) : cast(b, mulBy(b, ones(layer, dims[0]), 0), dtype);
    giveNarrow(layer, b.call(Op::BatchNorm, {x, gamma, beta, mean, variance}, attrs));
}

void convertLayerNormalization(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = wide(layer, layer.in());
    const Ints axes = axesOf(layer, x);
    if (b.failed())
        return;
    const double epsilon = layer.number("epsilon", 1e-3);
    // With rms_scaling the mean stays in x, though not in the variance.
    const Var y = layer.flag("rms_scaling", false) ? div(b, x, deviationOf(b, x, axes, epsilon))
                                                   : standardized(b, x, axes, epsilon);
    giveNarrow(layer, scaled(layer, y, axes));
}

/// The axis of channels in groups of neighbours, each with the statistics of its own.
void convertGroupNormalization(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = wide(layer, layer.in());
    const Ints axes = axesOf(layer, x);
    if (b.failed())
        return;
    const auto channels = axes.size() == 1 && axes[0] > 0 ? arith::asInt(dim(b, x, axes[0])) : std::nullopt;
    int64_t groups = node.integer("groups", 32);
    if (groups == -1 && channels)
        groups = *channels;
    if (!channels || groups < 1 || *channels % groups != 0)
        return node.fail(fmt::format("the channels do not divide into {} groups", groups),
                         "correct the model's config");
    const Dims shape = b.shape(x);
    Dims split = shape;
    const auto at = static_cast<size_t>(axes[0]);
    split[at] = groups;
    split.insert(split.begin() + axes[0] + 1, Expr(*channels / groups));
    Ints over;
    for (size_t i = 1; i < split.size(); ++i)
        if (i != at)
            over.push_back(static_cast<int64_t>(i));
    const Var y = standardized(b, reshape(b, x, split), over, layer.number("epsilon", 1e-3));
    giveNarrow(layer, scaled(layer, reshape(b, y, shape), axes));
}

void convertRMSNormalization(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = wide(layer, layer.in());
    const Ints axes = axesOf(layer, x);
    const Var mean = reduce(b, "mean", mul(b, x, x), axes, true);
    const Var y = div(b, x, b.call(Op::Sqrt, {addTo(b, mean, layer.number("epsilon", 1e-6))}));
    if (!b.failed())
        giveNarrow(layer, mul(b, y, spread(b, layer.weight("scale", dimsOf(b, x, axes), b.dtype(y)), y, axes)));
}

void convertUnitNormalization(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = wide(layer, layer.in());
    const Var squares = reduce(b, "sum", mul(b, x, x), axesOf(layer, x), true);
    giveNarrow(layer, div(b, x, b.call(Op::Sqrt, {maximum(b, squares, scalarLike(b, 1e-12, squares))})));
}

} // namespace lathe::frontend::keras
