// SPDX-License-Identifier: Apache-2.0
//
// Layers that make one tensor of several.
#include "frontend/keras/ops.h"
#include "relay/attrs.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::keras {

namespace {

constexpr const char* wrongCallOfMerge = "correct the model's config";

/// All tensors with as many dims: those with fewer get dims of 1 behind the first.
std::vector<Var> merged(Layer& layer, size_t fewest) {
    Builder& b = layer.b;
    if (layer.tensors() < fewest) {
        layer.node.fail(fmt::format("the layer is called with {} tensors", layer.tensors()), wrongCallOfMerge);
        return {};
    }
    std::vector<Var> all;
    int rank = 0;
    for (size_t i = 0; i < layer.tensors(); ++i) {
        all.push_back(layer.in(i));
        rank = std::max(rank, b.failed() ? 0 : b.rank(all.back()));
    }
    for (Var& one : all)
        if (!b.failed() && b.rank(one) > 0 && b.rank(one) < rank)
            one = unsqueeze(b, one, iotaInts(1, 1 + rank - b.rank(one)));
    return all;
}

void fold(NodeReader& node, Var (*combine)(Builder&, Var, Var), bool isMean = false) {
    Layer layer(node);
    const std::vector<Var> all = merged(layer, 1);
    if (layer.b.failed())
        return;
    Var result = all.front();
    for (size_t i = 1; i < all.size(); ++i)
        result = combine(layer.b, result, all[i]);
    layer.give(isMean ? mulBy(layer.b, result, 1.0 / static_cast<double>(all.size())) : result);
}

} // namespace

void convertAdd(NodeReader& node, Builder&) {
    fold(node, add);
}

void convertMultiply(NodeReader& node, Builder&) {
    fold(node, mul);
}

void convertAverage(NodeReader& node, Builder&) {
    fold(node, add, true);
}

void convertMaximum(NodeReader& node, Builder&) {
    fold(node, maximum);
}

void convertMinimum(NodeReader& node, Builder&) {
    fold(node, minimum);
}

void convertSubtract(NodeReader& node, Builder& b) {
    Layer layer(node);
    const std::vector<Var> all = merged(layer, 2);
    if (!b.failed())
        layer.give(sub(b, all[0], all[1]));
}

void convertConcatenate(NodeReader& node, Builder& b) {
    Layer layer(node);
    std::vector<Var> all;
    for (size_t i = 0; i < layer.tensors(); ++i)
        all.push_back(layer.in(i));
    if (all.empty())
        return node.fail("the layer is called without tensors", wrongCallOfMerge);
    if (node.needRank(all.front(), 1))
        layer.give(concat(b, all, node.axis(node.integer("axis", -1), b.rank(all.front()))));
}

/// Sums of products along an axis of each, for each of the batch.
void convertDot(NodeReader& node, Builder& b) {
    Layer layer(node);
    Var x = layer.in(0), y = layer.in(1);
    const Ints axes = layer.extents("axes", 2, -1);
    if (!node.needRank(x, 2) || !node.needRank(y, 2))
        return;
    const int64_t ofX = node.axis(axes[0], b.rank(x)), ofY = node.axis(axes[1], b.rank(y));
    if (ofX < 1 || ofY < 1 || b.rank(x) > 8 || b.rank(y) > 8)
        return node.fail("'axes' names the batch", wrongCallOfMerge);
    if (layer.flag("normalize", false)) {
        const auto unit = [&](Var v, int64_t axis) {
            const Var squares = reduce(b, "sum", mul(b, v, v), {axis}, true);
            return div(b, v, b.call(Op::Sqrt, {maximum(b, squares, scalarLike(b, 1e-12, v))}));
        };
        x = unit(x, ofX);
        y = unit(y, ofY);
    }
    // One letter each axis: those of the second from another row, but for the batch and the summed one.
    std::string left, right, result = "a";
    for (int64_t i = 0; i < b.rank(x); ++i)
        left += static_cast<char>(i == 0 ? 'a' : i == ofX ? 'z' : 'b' + i);
    for (int64_t i = 0; i < b.rank(y); ++i)
        right += static_cast<char>(i == 0 ? 'a' : i == ofY ? 'z' : 'n' + i);
    for (const char c : left + right)
        if (c != 'a' && c != 'z')
            result += c;
    relay::EinsumAttrs attrs;
    attrs.equation = fmt::format("{},{}->{}", left, right, result);
    const Var product = b.call(Op::Einsum, {x, y}, attrs);
    layer.give(result.size() == 1 ? unsqueeze(b, product, {1}) : product);
}

} // namespace lathe::frontend::keras
