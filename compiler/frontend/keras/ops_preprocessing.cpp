// SPDX-License-Identifier: Apache-2.0
//
// Layers that make features of raw numbers: scales, buckets, classes, vocabularies of integers; and those that change
// pictures at random while a model is trained, and give them as they are afterwards.
#include "frontend/common/buckets.h"
#include "frontend/common/look_up.h"
#include "frontend/common/one_hot.h"
#include "frontend/keras/input_types.h"
#include "frontend/keras/ops.h"
#include "model/host_tensor.h"
#include "relay/attrs.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <span>

namespace lathe::frontend::keras {
namespace {

constexpr const char* wrongFeatures = "correct the model's config";

Var wholeNumbers(Builder& b, const std::vector<int64_t>& values) {
    model::HostTensor tensor{.dtype = types::Int64, .shape = {std::ssize(values)}, .bytes = {}, .strings = {}};
    const auto bytes = std::as_bytes(std::span(values));
    tensor.bytes.assign(bytes.begin(), bytes.end());
    return b.constant(relay::makeConstant(model::toData(std::move(tensor))));
}

/// The type of whole numbers that the layer gives.
DataType wholeType(Layer& layer) {
    const auto dtype = dtypeNamed(layer.node.text("dtype", "int64"));
    return dtype && dtype->isInt() ? *dtype : types::Int64;
}

/// 1 at each class, in a new last dim of `depth`.
Var classesOf(Layer& layer, Var x, int64_t depth) {
    Builder& b = layer.b;
    if (b.failed())
        return {};
    return cast(b, oneHot(b, cast(b, x, types::Int64), depth, b.rank(x)), layer.computed());
}

/// Numbers of classes as the layer's output mode says. weights: of each number, where they are counted; may be absent.
void giveEncoded(Layer& layer, Var x, int64_t depth, const std::string& mode, Var weights = {}) {
    Builder& b = layer.b;
    if (b.failed())
        return;
    if (depth < 1 || depth > mostExtent)
        return layer.node.fail(fmt::format("there are {} classes", depth), wrongFeatures);
    const bool isList = b.rank(x) > 1 && !arith::isConst(dim(b, x, -1), 1);
    if (mode == "one_hot")
        return layer.give(classesOf(layer, isList || b.rank(x) < 2 ? x : squeeze(b, x, {b.rank(x) - 1}), depth));
    if (mode != "multi_hot" && mode != "count")
        return layer.node.refuse(fmt::format("the output mode '{}' is not supported", mode), "use 'one_hot'");
    if (!layer.node.needRank(x, 2))
        return;
    Var classes = classesOf(layer, x, depth);
    if (weights)
        classes = mul(b, classes, unsqueeze(b, cast(b, weights, layer.computed()), {b.rank(x)}));
    layer.give(reduce(b, mode == "count" ? "sum" : "max", classes, {b.rank(x) - 1}, false));
}

} // namespace

void convertRescaling(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = cast(b, layer.in(), layer.computed());
    const auto row = [&](const std::string& name, double otherwise) {
        const std::vector<double> values = layer.numbers(name);
        return values.size() > 1 ? rowOf(layer, values) : scalarLike(b, layer.number(name, otherwise), x);
    };
    layer.give(add(b, mul(b, x, row("scale", 1)), row("offset", 0)));
}

/// (x - mean) / deviation, by the config's numbers or those that the layer was adapted to.
void convertNormalization(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = cast(b, layer.in(), layer.computed());
    if (b.failed())
        return;
    Dims dims, along(static_cast<size_t>(b.rank(x)), Expr(1));
    for (const int64_t axis : node.axes(layer.integers("axis"), b.rank(x))) {
        dims.push_back(dim(b, x, axis));
        along[static_cast<size_t>(axis)] = dims.back();
    }
    const auto statistic = [&](const std::string& name) {
        if (layer.hasWeight(name))
            return reshape(b, layer.weight(name, dims), along);
        const std::vector<double> values = layer.numbers(name);
        return values.size() > 1 ? reshape(b, rowOf(layer, values), along) : scalarLike(b, layer.number(name, 0), x);
    };
    const Var mean = statistic("mean"), variance = statistic("variance");
    const Var deviation = maximum(b, b.call(Op::Sqrt, {variance}), scalarLike(b, 1e-7, variance));
    layer.give(layer.flag("invert", false) ? add(b, mean, mul(b, x, deviation)) : div(b, sub(b, x, mean), deviation));
}

/// Which bucket a number lies in: how many boundaries are not above it.
void convertDiscretization(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = layer.in();
    const std::vector<double> boundaries = layer.numbers("bin_boundaries");
    if (boundaries.empty())
        return node.refuse("the boundaries of the buckets are not in the config, which is not supported",
                           "make the layer with bin_boundaries");
    const Var bucket = bucketsOf(b, x, boundaries);
    if (const std::string mode = node.text("output_mode", "int"); mode != "int")
        giveEncoded(layer, bucket, std::ssize(boundaries) + 1, mode);
    else
        layer.give(cast(b, bucket, wholeType(layer)));
}

void convertCategoryEncoding(NodeReader& node, Builder&) {
    Layer layer(node);
    const Var weights = layer.argument("call.count_weights");
    giveEncoded(layer, layer.in(), node.integer("num_tokens", 0), node.text("output_mode", "multi_hot"), weights);
}

/// Numbers of the integers in a vocabulary: behind the masked one, if there is one, and those of integers that are none
/// of it, which are told apart by their rest.
void convertIntegerLookup(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = layer.in();
    Ints vocabulary = layer.integers("vocabulary");
    const bool hasMask = !layer.integers("mask_token").empty();
    const int64_t unknown = node.integer("num_oov_indices", 1), first = (hasMask ? 1 : 0) + unknown;
    if (vocabulary.empty())
        return node.refuse("the vocabulary is not in the model, which is not supported",
                           "make the layer with a vocabulary, or save the model in Keras's newer format");
    if (unknown < 0 || unknown > mostExtent || node.text("output_mode", "int") != "int")
        return node.refuse("an output mode other than 'int' is not supported",
                           "encode the numbers by CategoryEncoding");
    if (b.failed())
        return;
    Ints special(hasMask ? 1 : 0, node.integer("mask_token", 0)); // which may stand before the others
    special.resize(static_cast<size_t>(first), node.integer("oov_token", -1));
    if (vocabulary.size() >= special.size() && std::ranges::equal(special, std::span(vocabulary).first(special.size())))
        vocabulary.erase(vocabulary.begin(), vocabulary.begin() + std::ssize(special));
    std::vector<int64_t> order(vocabulary.size()), keys, values;
    std::iota(order.begin(), order.end(), int64_t{0});
    std::ranges::sort(order, {}, [&](int64_t i) { return std::pair(vocabulary[static_cast<size_t>(i)], i); });
    const bool isInverse = layer.flag("invert", false);
    for (const int64_t i : order) {
        const int64_t token = vocabulary[static_cast<size_t>(i)];
        if (!keys.empty() && keys.back() == token && !isInverse)
            return node.fail(fmt::format("the vocabulary has {} twice", token), wrongFeatures);
        keys.push_back(token);
        values.push_back(i + first);
    }
    const Var number = cast(b, x, types::Int64), mask = b.scalarInt(hasMask ? node.integer("mask_token", 0) : 0);
    if (isInverse) {
        std::vector<int64_t> places(vocabulary.size());
        std::iota(places.begin(), places.end(), first);
        Var token = lookUp(b, number, wholeNumbers(b, places), wholeNumbers(b, vocabulary),
                           b.scalarInt(node.integer("oov_token", -1)));
        if (hasMask)
            token = where(b, equal(b, number, b.scalarInt(0)), mask, token);
        return layer.give(cast(b, token, wholeType(layer)));
    }
    Var other = b.scalarInt(hasMask ? 1 : 0);
    Var found = lookUp(b, number, wholeNumbers(b, keys), wholeNumbers(b, values), b.scalarInt(-1));
    if (unknown > 1)
        other = add(b, other, b.call(Op::Mod, {number, b.scalarInt(unknown)}, relay::ModAttrs()));
    if (unknown > 0)
        found = where(b, less(b, found, b.scalarInt(0)), other, found);
    if (hasMask)
        found = where(b, equal(b, number, mask), b.scalarInt(0), found);
    layer.give(cast(b, found, wholeType(layer)));
}

/// Pictures as they are, in the type that the layer computes in.
void convertAugmentation(NodeReader& node, Builder& b) {
    Layer layer(node);
    layer.give(cast(b, layer.in(), layer.computed()));
}

} // namespace lathe::frontend::keras
