// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/strided_slice.h"

#include "frontend/common/integer_operands.h"
#include "frontend/common/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace lathe::frontend {
namespace {

bool hasBit(int64_t mask, size_t i) {
    return (mask >> i & 1) != 0;
}

/// What the operands and masks of a strided slice say. An entry stands for a dim of the operand, for a new one, or for
/// as many dims as the others leave.
struct StridedSlice {
    Dims begin, end;
    Ints step;
    int64_t beginMask = 0, endMask = 0, ellipsisMask = 0, newAxisMask = 0, shrinkMask = 0;
    bool endIsSize = false; // ends count from where the slice begins

    size_t entries() const { return begin.size(); }
    bool isEllipsis(size_t i) const { return hasBit(ellipsisMask, i); }
    bool isNewAxis(size_t i) const { return !isEllipsis(i) && hasBit(newAxisMask, i); }
    bool shrinks(size_t i) const { return !isEllipsis(i) && !isNewAxis(i) && hasBit(shrinkMask, i); }
};

std::optional<StridedSlice> readStridedSlice(NodeReader& node) {
    StridedSlice read;
    read.begin = integersOf(node, 1, "begin");
    read.end = integersOf(node, 2, "end");
    const auto step = knownIntegers(node, 3, "strides");
    if (!step || node.failed())
        return std::nullopt;
    read.step = *step;
    if (read.end.size() != read.entries() || step->size() != read.entries() || read.entries() > limits::tensorRank) {
        node.fail(fmt::format("begin, end and strides have {}, {} and {} elements", read.entries(), read.end.size(),
                              step->size()));
        return std::nullopt;
    }
    read.beginMask = node.integer("begin_mask", 0);
    read.endMask = node.integer("end_mask", 0);
    read.ellipsisMask = node.integer("ellipsis_mask", 0);
    read.newAxisMask = node.integer("new_axis_mask", 0);
    read.shrinkMask = node.integer("shrink_axis_mask", 0);
    read.endIsSize = node.integer("offset", 0) != 0;
    return read;
}

/// Entry i of a slice for dim `axis`.
void sliceEntry(NodeReader& node, relay::SliceAttrs& attrs, size_t axis, const StridedSlice& slice, size_t i) {
    const int64_t step = std::clamp(slice.step[i], -farAway, farAway);
    if (step == 0)
        return node.fail("a stride of the slice is zero");
    if (slice.shrinks(i) && step < 0)
        return node.fail("a dim is dropped whose stride is negative");
    // A bound that is left out lies beyond where the slice could reach.
    const Expr begin = hasBit(slice.beginMask, i) ? Expr(step > 0 ? 0 : farAway) : slice.begin[i];
    Expr end = hasBit(slice.endMask, i) ? Expr(step > 0 ? farAway : -farAway) : slice.end[i];
    const Expr size = attrs.size[axis];
    relay::SliceAttrs first = attrs; // to know where it begins
    sliceDim(first, axis, begin, Expr(step > 0 ? farAway : -farAway), step, BeforeFirst::Outside);
    if (slice.shrinks(i)) {
        attrs.begin[axis] = first.begin[axis];
        attrs.size[axis] = 1;
        attrs.step[axis] = 1;
        return;
    }
    if (slice.endIsSize && !hasBit(slice.endMask, i))
        end = arith::simplify(first.begin[axis] + end);
    sliceDim(attrs, axis, begin, end, step, BeforeFirst::Outside);
}

} // namespace

Var stridedSlice(NodeReader& node, Builder& b, Var x) {
    const auto slice = readStridedSlice(node);
    if (!slice || b.failed())
        return {};
    const auto fault = [&](std::string what) {
        node.fail(std::move(what));
        return Var{};
    };
    const Dims from = b.shape(x);
    size_t taken = 0; // entries that stand for one dim of x
    std::optional<size_t> ellipsis;
    for (size_t i = 0; i < slice->entries(); ++i) {
        if (slice->isEllipsis(i) && std::exchange(ellipsis, i))
            return fault("the slice has more than one ellipsis");
        taken += !slice->isEllipsis(i) && !slice->isNewAxis(i);
    }
    if (taken > from.size())
        return fault(fmt::format("the slice is of {} dims, the operand {}", taken, text(from)));
    relay::SliceAttrs attrs = wholeOf(b, x);
    Dims shape;
    size_t axis = 0;
    for (size_t i = 0; i < slice->entries() && !b.failed(); ++i) {
        if (slice->isEllipsis(i)) {
            for (size_t end = axis + from.size() - taken; axis < end; ++axis)
                shape.push_back(from[axis]);
        } else if (slice->isNewAxis(i)) {
            shape.push_back(1);
        } else {
            sliceEntry(node, attrs, axis, *slice, i);
            if (slice->shrinks(i))
                x = assume(b, x,
                           arith::logicalAnd(arith::ge(attrs.begin[axis], 0), arith::lt(attrs.begin[axis], from[axis])),
                           fmt::format("the element that is taken of dim {} of {} exists", axis, text(from)));
            else
                shape.push_back(attrs.size[axis]);
            ++axis;
        }
    }
    for (; axis < from.size(); ++axis)
        shape.push_back(from[axis]);
    const Dims sliced = attrs.size;
    x = b.call(Op::Slice, {x}, std::move(attrs));
    return shape.size() == sliced.size() && taken == slice->entries() ? x : reshape(b, x, std::move(shape));
}

Var sizedSlice(NodeReader& node, Builder& b, Var x) {
    const Dims begin = integersOf(node, 1, "begin");
    Dims size = integersOf(node, 2, "size");
    if (b.failed())
        return {};
    relay::SliceAttrs attrs = wholeOf(b, x);
    const Dims from = attrs.size;
    if (begin.size() != from.size() || size.size() != from.size()) {
        node.fail(fmt::format("begin and size have {} and {} elements, the operand is {}", begin.size(), size.size(),
                              text(from)));
        return {};
    }
    for (size_t i = 0; i < from.size(); ++i) {
        const Expr rest = from[i] - begin[i]; // what -1 stands for
        if (!arith::provablyTrue(arith::ge(size[i], 0)))
            size[i] = arith::simplify(arith::select(arith::eq(size[i], -1), rest, size[i]));
        const Expr within = arith::logicalAnd(arith::ge(begin[i], 0),
                                              arith::logicalAnd(arith::ge(size[i], 0), arith::le(size[i], rest)));
        x = assume(b, x, within, fmt::format("the slice lies within dim {} of {}", i, text(from)));
    }
    attrs.begin = begin;
    attrs.size = size;
    return b.call(Op::Slice, {x}, std::move(attrs));
}

} // namespace lathe::frontend
