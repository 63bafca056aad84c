// SPDX-License-Identifier: Apache-2.0
//
// Layers that make one tensor of several.
#include "frontend/keras/masks.h"
#include "frontend/keras/ops.h"
#include "relay/attrs.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::keras {

namespace {

constexpr const char* wrongCallOfMerge = "correct the model's config";

struct Operand {
    Var x, mask;
};

/// All tensors with as many dims: those with fewer get dims of 1 behind the first, and lose their masks.
std::vector<Operand> merged(Layer& layer, size_t fewest) {
    Builder& b = layer.b;
    if (layer.tensors() < fewest) {
        layer.node.fail(fmt::format("the layer is called with {} tensors", layer.tensors()), wrongCallOfMerge);
        return {};
    }
    std::vector<Operand> all;
    int rank = 0;
    for (size_t i = 0; i < layer.tensors(); ++i) {
        all.push_back({layer.in(i), maskOf(layer, i)});
        rank = std::max(rank, b.failed() ? 0 : b.rank(all.back().x));
    }
    for (Operand& one : all)
        if (!b.failed() && b.rank(one.x) > 0 && b.rank(one.x) < rank)
            one = {unsqueeze(b, one.x, iotaInts(1, 1 + rank - b.rank(one.x))), {}};
    return all;
}

Var maskOfAll(Builder& b, const std::vector<Operand>& all) {
    std::vector<Var> masks;
    for (const Operand& one : all)
        masks.push_back(one.mask);
    return anyOf(b, masks);
}

using Combine = Var (*)(Builder&, Var, Var);

void fold(NodeReader& node, Combine combine, bool isMean = false) {
    Layer layer(node);
    const std::vector<Operand> all = merged(layer, 1);
    if (layer.b.failed())
        return;
    Var result = all.front().x;
    for (size_t i = 1; i < all.size(); ++i)
        result = combine(layer.b, result, all[i].x);
    layer.give(isMean ? mulBy(layer.b, result, 1.0 / static_cast<double>(all.size())) : result, 0,
               maskOfAll(layer.b, all));
}

/// The mask of steps as one of x's elements.
Var ofElements(Builder& b, Var mask) {
    return b.failed() ? Var{} : unsqueeze(b, mask, {b.rank(mask)});
}

/// The greatest or least of what counts: a masked step takes what the others have. So since Keras 3.
void foldCounting(NodeReader& node, Combine combine) {
    if (node.version() < 3)
        return fold(node, combine);
    Layer layer(node);
    Builder& b = layer.b;
    const std::vector<Operand> all = merged(layer, 1);
    if (b.failed())
        return;
    Var result = all.front().x, mask = all.front().mask;
    for (size_t i = 1; i < all.size(); ++i) {
        const Var other = all[i].mask ? where(b, ofElements(b, all[i].mask), all[i].x, result) : all[i].x;
        if (mask)
            result = where(b, ofElements(b, mask), result, other);
        mask = anyOf(b, {mask, all[i].mask});
        result = combine(b, result, other);
    }
    layer.give(result, 0, maskOfAll(b, all));
}

} // namespace

void convertAdd(NodeReader& node, Builder&) {
    fold(node, add);
}

/// The product of what counts: since Keras 3 a masked step is a factor of 1, and 0 where none counts.
void convertMultiply(NodeReader& node, Builder& b) {
    if (node.version() < 3)
        return fold(node, mul);
    Layer layer(node);
    const std::vector<Operand> all = merged(layer, 1);
    if (b.failed())
        return;
    Var result;
    for (const auto& [x, mask] : all) {
        const Var factor = mask ? where(b, ofElements(b, mask), x, scalarLike(b, 1, x)) : x;
        result = result ? mul(b, result, factor) : factor;
    }
    const Var mask = maskOfAll(b, all);
    if (mask)
        result = where(b, ofElements(b, mask), result, scalarLike(b, 0, result));
    layer.give(result, 0, mask);
}

void convertAverage(NodeReader& node, Builder&) {
    fold(node, add, true);
}

void convertMaximum(NodeReader& node, Builder&) {
    foldCounting(node, maximum);
}

void convertMinimum(NodeReader& node, Builder&) {
    foldCounting(node, minimum);
}

void convertSubtract(NodeReader& node, Builder& b) {
    Layer layer(node);
    const std::vector<Operand> all = merged(layer, 2);
    if (!b.failed())
        layer.give(sub(b, all[0].x, all[1].x), 0, maskOfAll(b, all));
}

namespace {

/// Of tensors that are joined: along their last axis a step counts if it does in one of them, along another the masks
/// are joined as they are.
Var joinedMask(Layer& layer, const std::vector<Operand>& all, int64_t axis) {
    Builder& b = layer.b;
    const auto isMasked = [](const Operand& one) { return bool(one.mask); };
    if (b.failed() || std::ranges::none_of(all, isMasked))
        return {};
    if (axis == b.rank(all.front().x) - 1)
        return maskOfAll(b, all);
    std::vector<Var> masks;
    for (const Operand& one : all) {
        Dims steps = b.shape(one.x);
        steps.pop_back();
        masks.push_back(one.mask ? one.mask : full(b, b.scalar(1, types::Bool), steps));
        if (!b.failed() && b.rank(masks.back()) != static_cast<int>(steps.size())) {
            layer.node.refuse("a mask that is not of the tensor's steps is not supported", "join the tensors unmasked");
            return {};
        }
    }
    return concat(b, masks, axis);
}

} // namespace

void convertConcatenate(NodeReader& node, Builder& b) {
    Layer layer(node);
    std::vector<Operand> all;
    std::vector<Var> tensors;
    for (size_t i = 0; i < layer.tensors(); ++i) {
        all.push_back({layer.in(i), maskOf(layer, i)});
        tensors.push_back(all.back().x);
    }
    if (all.empty())
        return node.fail("the layer is called without tensors", wrongCallOfMerge);
    if (!node.needRank(tensors.front(), 1))
        return;
    const int64_t axis = node.axis(node.integer("axis", -1), b.rank(tensors.front()));
    layer.give(concat(b, tensors, axis), 0, joinedMask(layer, all, axis));
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
