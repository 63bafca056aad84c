// SPDX-License-Identifier: Apache-2.0
//
// Layers without windows: products with a matrix, tables, new shapes, and those that give what they are given.
#include "frontend/common/activations.h"
#include "frontend/common/channels.h"
#include "frontend/common/new_shape.h"
#include "frontend/keras/functions.h"
#include "frontend/keras/masks.h"
#include "frontend/keras/ops.h"
#include "relay/attrs.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

constexpr const char* wrongShapes = "correct the model's config";

/// A bias, or what is like it, of the last axis.
Var withBias(Layer& layer, Var y, const Dims& dims) {
    const Var bias = layer.optionalWeight("bias", dims);
    return bias ? add(layer.b, y, bias) : y;
}

/// Scores of which those that the mask hides are as good as none.
Var shown(Builder& b, Var scores, Var mask) {
    if (b.failed())
        return {};
    const double hidden = b.dtype(scores) == types::Float16 ? -3e4 : -1e9;
    return where(b, mask, scores, addTo(b, scores, hidden));
}

/// The first dim and those given.
Dims withBatch(Builder& b, Var x, const Ints& rest) {
    Dims wanted = {dim(b, x, 0)};
    for (const int64_t size : rest)
        wanted.emplace_back(size);
    return wanted;
}

} // namespace

/// InputLayer of a model within a model, layers that only training sees, and the results of models.
void convertIdentity(NodeReader& node, Builder&) {
    if (!node.has("arguments")) // made by the reader
        return node.set(0, node.in(0));
    Layer layer(node);
    layer.give(layer.in());
}

void convertDense(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = layer.in();
    if (!node.needRank(x, 1))
        return;
    const Expr units = node.integer("units", 0);
    const Var kernel = layer.weight("kernel", {dim(b, x, -1), units});
    const Var y = b.failed()       ? Var{}
                  : b.rank(x) == 1 ? squeeze(b, matmul(b, unsqueeze(b, x, {0}), kernel), {0})
                                   : matmul(b, x, kernel);
    layer.give(activated(layer, "activation", withBias(layer, y, {units})));
}

void convertEinsumDense(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = layer.in();
    if (b.failed())
        return;
    relay::EinsumAttrs attrs;
    attrs.equation = node.text("equation", "");
    const size_t comma = attrs.equation.find(','), arrow = attrs.equation.find("->");
    if (comma == std::string::npos || arrow == std::string::npos || arrow < comma)
        return node.fail(fmt::format("the equation is '{}'", attrs.equation), wrongShapes);
    const std::string kernelAxes = attrs.equation.substr(comma + 1, arrow - comma - 1);
    const std::string results = attrs.equation.substr(arrow + 2), biasAxes = node.text("bias_axes", "");
    const Var kernel = layer.weight("kernel", Dims(kernelAxes.size()));
    Var y = b.call(Op::Einsum, {x, kernel}, attrs);
    if (layer.hasWeight("bias")) {
        const Var bias = layer.weight("bias", Dims(biasAxes.size()));
        if (b.failed())
            return;
        Ints missing; // axes of the result that the bias lacks; those before its first one need none
        const size_t first = results.find(biasAxes.empty() ? '\0' : biasAxes.front());
        if (first == std::string::npos)
            return node.fail(fmt::format("the bias has axes '{}' of the results '{}'", biasAxes, results), wrongShapes);
        for (size_t i = first; i < results.size(); ++i)
            if (biasAxes.find(results[i]) == std::string::npos)
                missing.push_back(static_cast<int64_t>(i - first));
        y = add(b, y, missing.empty() ? bias : unsqueeze(b, bias, missing));
    }
    layer.give(activated(layer, "activation", y));
}

void convertEmbedding(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var tokens = layer.in();
    const Var table =
        layer.weight("embeddings", {Expr(node.integer("input_dim", 0)), Expr(node.integer("output_dim", 0))});
    if (b.failed())
        return;
    const Var mask = layer.flag("mask_zero", false) ? b.call(Op::NotEqual, {tokens, scalarLike(b, 0, tokens)}) : Var{};
    layer.give(gather(b, table, b.dtype(tokens).isInt() ? tokens : cast(b, tokens, types::Int32), 0), 0, mask);
}

/// Called in reverse it is a product with its table, or another of its own, on the way back from features to tokens.
void convertReversibleEmbedding(NodeReader& node, Builder& b) {
    Layer layer(node);
    if (!layer.callFlag("reverse"))
        return convertEmbedding(node, b);
    const Expr tokens = node.integer("input_dim", 0), features = node.integer("output_dim", 0);
    const bool isTied = layer.flag("tie_weights", true);
    const Var x = layer.in(), table = isTied ? layer.weight("embeddings", {tokens, features})
                                             : layer.weight("reverse_embeddings", {features, tokens});
    Var y = matmul(b, x, table, false, isTied);
    if (!layer.numbers("logit_soft_cap").empty()) {
        const double cap = layer.number("logit_soft_cap", 1);
        y = mulBy(b, b.call(Op::Tanh, {mulBy(b, y, 1 / cap)}), cap);
    }
    layer.give(y);
}

/// A step counts if one of its features is not the value; what does not count becomes zero.
void convertMasking(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = layer.in();
    if (!node.needRank(x, 2))
        return;
    const int64_t features = b.rank(x) - 1;
    const Var differs = b.call(Op::NotEqual, {x, scalarLike(b, layer.number("mask_value", 0), x)});
    const Var counts = reduce(b, "or", differs, {features}, true);
    layer.give(mul(b, x, factorOf(b, counts, x)), 0, squeeze(b, counts, {features}));
}

void convertActivation(NodeReader& node, Builder&) {
    Layer layer(node);
    layer.give(activated(layer, "activation", layer.in()));
}

void convertReLU(NodeReader& node, Builder&) {
    Layer layer(node);
    layer.give(reluLayer(layer, "", layer.in()));
}

void convertLeakyReLU(NodeReader& node, Builder&) {
    Layer layer(node);
    layer.give(leakyReluLayer(layer, "", layer.in()));
}

void convertThresholdedReLU(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = layer.in();
    layer.give(where(b, less(b, scalarLike(b, layer.number("theta", 1), x), x), x, scalarLike(b, 0, x)));
}

void convertELU(NodeReader& node, Builder& b) {
    Layer layer(node);
    layer.give(elu(b, layer.in(), layer.number("alpha", 1)));
}

/// The slope has the dims of a sample, of 1 where axes share it.
void convertPReLU(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = layer.in();
    if (!node.needRank(x, 1))
        return;
    Dims dims = b.shape(x);
    dims.erase(dims.begin());
    for (const int64_t axis : layer.integers("shared_axes")) {
        if (axis < 1 || axis > static_cast<int64_t>(dims.size()))
            return node.fail(fmt::format("shared axis {} is none of the input's", axis), wrongShapes);
        dims[static_cast<size_t>(axis) - 1] = 1;
    }
    layer.give(negativeOr(b, x, mul(b, x, layer.weight("alpha", dims))));
}

void convertSoftmax(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = layer.in();
    Ints axes = layer.integers("axis");
    if (!node.needRank(x, 1))
        return;
    const Var mask = maskOf(layer), scores = mask ? shown(b, x, mask) : x;
    if (axes.size() < 2)
        return layer.give(softmax(b, scores, node.axis(axes.empty() ? -1 : axes[0], b.rank(x))));
    axes = node.axes(std::move(axes), b.rank(x));
    const Var powers = b.call(Op::Exp, {sub(b, scores, reduce(b, "max", scores, axes, true))});
    layer.give(div(b, powers, reduce(b, "sum", powers, axes, true)));
}

void convertFlatten(NodeReader& node, Builder& b) {
    Layer layer(node);
    Var x = layer.in();
    if (!node.needRank(x, 1))
        return;
    if (layer.isChannelsFirst() && b.rank(x) > 2)
        x = channelsLast(b, x);
    const Dims shape = b.failed() ? Dims{} : b.shape(x);
    if (!b.failed())
        layer.give(reshape(b, x, {shape[0], product(Dims(shape.begin() + 1, shape.end()))}));
}

void convertReshape(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = layer.in();
    if (node.needRank(x, 1))
        layer.give(inNewShape(b, x, withBatch(b, x, layer.integers("target_shape")), ZeroDim::Kept));
}

void convertPermute(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = layer.in();
    if (!node.needRank(x, 1))
        return;
    Ints axes = {0};
    std::ranges::copy(layer.integers("dims"), std::back_inserter(axes));
    Ints sorted = axes;
    std::ranges::sort(sorted);
    if (sorted != iotaInts(0, b.rank(x)))
        return node.fail("'dims' names other axes than the input has", wrongShapes);
    layer.give(transpose(b, x, axes));
}

void convertRepeatVector(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = layer.in();
    const int64_t count = node.integer("n", 0);
    if (!node.needRank(x, 2))
        return;
    if (count < 0 || count > limits::filledElements)
        return node.fail(fmt::format("n is {}", count), wrongShapes);
    layer.give(expand(b, unsqueeze(b, x, {1}), {dim(b, x, 0), count, dim(b, x, 1)}));
}

} // namespace lathe::frontend::keras
