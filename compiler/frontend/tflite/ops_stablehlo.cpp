// SPDX-License-Identifier: Apache-2.0
//
// Operators of StableHLO that move elements. Some say the shape of their result by its declared type alone.
#include "frontend/common/new_shape.h"
#include "frontend/common/slice.h"
#include "frontend/tflite/integers.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/update_slice.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::tflite {
namespace {

/// Dims that are declared for the result, -1 for those that are not known; a refusal if none are declared.
std::optional<Dims> declaredDims(NodeReader& node) {
    const model::ValueType* declared = node.declaredResult(0);
    if (!declared || !declared->hasShape) {
        node.refuse("the shape of the result is not declared");
        return std::nullopt;
    }
    Dims dims;
    for (const model::Dim& dim : declared->shape)
        dims.emplace_back(dim.value);
    return dims;
}

/// Attributes of one number for each of `rank` dims, within farAway; nothing, and a fault, if one is not.
std::optional<Ints> numbersOf(NodeReader& node, const char* attribute, size_t rank, int64_t least = -farAway) {
    const Ints numbers = node.integers(attribute);
    if (!node.failed() && numbers.size() == rank &&
        std::ranges::all_of(numbers, [&](int64_t n) { return n >= least && n <= farAway; }))
        return numbers;
    node.fail(fmt::format("attribute '{}' is not {} numbers within their range", attribute, rank));
    return std::nullopt;
}

/// Scalar operands from `first` on.
Dims scalarsFrom(NodeReader& node, size_t first) {
    Dims scalars;
    for (size_t i = first; i < node.inputs(); ++i)
        scalars.push_back(integerOf(node, i, "start"));
    return scalars;
}

} // namespace

void convertStablehloReshape(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    if (const auto dims = declaredDims(node))
        m.give(0, inNewShape(b, x, *dims, ZeroDim::Kept));
}

void convertStablehloTranspose(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    m.give(0, transpose(b, x, node.integers("permutation")));
}

void convertStablehloConcatenate(NodeReader& node, Builder& b) {
    std::vector<size_t> operands;
    for (size_t i = 0; i < node.inputs(); ++i)
        operands.push_back(i);
    if (operands.empty())
        return node.fail("the node has no operands");
    Movement m(node, operands);
    std::vector<Var> parts;
    for (size_t i : operands)
        parts.push_back(m.in(i));
    if (!node.needRank(parts[0], 1))
        return;
    const int64_t axis = node.axis(node.integer("dimension", 0), b.rank(parts[0]));
    m.give(0, parts.size() == 1 ? parts[0] : concat(b, std::move(parts), axis));
}

void convertStablehloBroadcastInDim(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    auto dims = declaredDims(node);
    const Ints places = node.integers("broadcast_dimensions");
    if (!dims || b.failed())
        return;
    const Dims from = b.shape(x);
    if (places.size() != from.size())
        return node.fail(fmt::format("there are {} broadcast_dimensions for {}", places.size(), text(from)));
    Dims spread(dims->size(), Expr(1));
    int64_t previous = -1;
    for (size_t i = 0; i < places.size(); ++i) {
        if (places[i] <= previous || places[i] >= static_cast<int64_t>(spread.size()))
            return node.refuse("broadcast_dimensions do not ascend within the result's dims");
        previous = places[i];
        const auto at = static_cast<size_t>(places[i]);
        spread[at] = from[i];
        if (arith::isConst((*dims)[at], -1) && !arith::isConst(from[i], 1))
            (*dims)[at] = from[i];
    }
    if (std::ranges::any_of(*dims, [](const Expr& dim) { return arith::isConst(dim, -1); }))
        return node.refuse("the result has a dim that is not known when the model is compiled");
    if (mayFill(node.b, *dims))
        m.give(0, expand(b, fitted(b, reshape(b, x, spread), *dims), *dims));
}

void convertStablehloSlice(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    Var x = m.in(0);
    if (b.failed())
        return;
    relay::SliceAttrs attrs = wholeOf(b, x);
    const Dims from = attrs.size;
    const auto begin = numbersOf(node, "start_indices", from.size(), 0),
               end = numbersOf(node, "limit_indices", from.size(), 0),
               step = numbersOf(node, "strides", from.size(), 1);
    if (!begin || !end || !step)
        return;
    for (size_t i = 0; i < from.size(); ++i) {
        x = assume(b, x, arith::logicalAnd(arith::le((*begin)[i], (*end)[i]), arith::le((*end)[i], from[i])),
                   fmt::format("the slice lies within dim {} of {}", i, text(from)));
        sliceDim(attrs, i, (*begin)[i], (*end)[i], (*step)[i]);
    }
    m.give(0, b.call(Op::Slice, {x}, std::move(attrs)));
}

void convertStablehloPad(NodeReader& node, Builder& b) {
    Movement m(node, {0, 1});
    const Var x = m.in(0), value = asScalar(b, m.in(1));
    if (b.failed())
        return;
    const Dims from = b.shape(x);
    const auto low = numbersOf(node, "edge_padding_low", from.size()),
               high = numbersOf(node, "edge_padding_high", from.size());
    auto between = numbersOf(node, "interior_padding", from.size(), 0);
    if (!low || !high || !between)
        return;
    Dims padded;
    for (size_t i = 0; i < from.size(); ++i) {
        if ((*between)[i] > limits::filledElements)
            return node.refuse(fmt::format("{} elements are put between neighbours", (*between)[i]));
        const Expr inner = from[i] + arith::max(from[i] - 1, 0) * (*between)[i];
        padded.push_back(arith::simplify(inner + (*low)[i] + (*high)[i]));
    }
    if (mayFill(node.b, padded))
        m.give(0, pad(b, x, "constant", toDims(*low), toDims(*high), *std::move(between), value));
}

void convertStablehloDynamicSlice(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    Var x = m.in(0);
    const Dims starts = scalarsFrom(node, 1);
    if (b.failed())
        return;
    relay::SliceAttrs attrs = wholeOf(b, x);
    const Dims from = attrs.size;
    const auto sizes = numbersOf(node, "slice_sizes", from.size(), 0);
    if (!sizes)
        return;
    if (starts.size() != from.size())
        return node.fail(fmt::format("there are {} starts for {}", starts.size(), text(from)));
    for (size_t i = 0; i < from.size(); ++i)
        x = assume(b, x, arith::le((*sizes)[i], from[i]),
                   fmt::format("a slice of {} fits dim {} of {}", (*sizes)[i], i, text(from)));
    attrs.size = toDims(*sizes);
    attrs.begin = startsWithin(starts, from, attrs.size);
    m.give(0, b.call(Op::Slice, {x}, std::move(attrs)));
}

void convertStablehloDynamicUpdateSlice(NodeReader& node, Builder& b) {
    Movement m(node, {0, 1});
    const Var x = m.in(0), update = m.in(1);
    m.give(0, withUpdate(b, x, update, scalarsFrom(node, 2)));
}

} // namespace lathe::frontend::tflite
