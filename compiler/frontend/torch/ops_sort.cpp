// SPDX-License-Identifier: Apache-2.0
//
// What is sorted: all, the greatest, the one in the middle or at another share, the most frequent. NaNs are greater than all numbers, equals keep their order.
#include "frontend/common/arithmetic.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/reduced.h"

#include "relay/attrs.h"

#include <array>
#include <fmt/format.h>
#include <limits>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

/// The first k along an axis in order, and their places.
std::vector<Var> firstOf(Builder& b, Var x, int64_t axis, const Expr& k, bool largest) {
    TopKAttrs attrs;
    attrs.axis = axis;
    attrs.k = k;
    attrs.largest = largest;
    const Var both = b.call(Op::TopK, {x}, attrs);
    return {b.project(both, 0), b.project(both, 1)};
}

void convertTopk(Call& call, Builder& b) {
    const Expr k = call.size("k");
    const bool largest = call.flag("largest");
    call.give(alongDim(call, call.tensor("self"), call.integer("dim"),
                       [&](Var x, int64_t axis) { return firstOf(b, x, axis, k, largest); }));
}
std::vector<Var> sorted(Call& call, Builder& b) {
    const bool descending = call.flag("descending");
    return alongDim(call, call.tensor("self"), call.integer("dim"),
                    [&](Var x, int64_t axis) { return firstOf(b, x, axis, dim(b, x, axis), descending); });
}
void convertSort(Call& call, Builder& b) {
    call.give(sorted(call, b));
}
/// Along dim 0, without places.
void convertMsort(Call& call, Builder& b) {
    call.give(alongDim(call, call.tensor("self"), 0, [&](Var x, int64_t axis) {
        return std::vector{firstOf(b, x, axis, dim(b, x, axis), false)[0]};
    }));
}
/// The k-th least, counted from 1, and its place.
void convertKthvalue(Call& call, Builder& b) {
    const Expr k = call.size("k");
    const bool keepDims = call.flag("keepdim");
    call.give(alongDim(call, call.tensor("self"), call.integer("dim"), [&](Var x, int64_t axis) {
        std::vector<Var> both = firstOf(b, x, axis, k, false);
        for (Var& each : both) {
            each = sliceAxis(b, each, axis, arith::simplify(k - 1), 1);
            each = keepDims ? each : squeeze(b, each, {axis});
        }
        return both;
    }));
}
void convertArgsort(Call& call, Builder& b) {
    const std::vector<Var> both = sorted(call, b);
    if (!call.failed())
        call.give(both[1]);
}

/// The middle one, of an even number the lower, and its place; the first NaN if there is one, or if `skipsNan` and there is
/// nothing else.
std::vector<Var> medianOf(Builder& b, Var x, int64_t axis, bool keepDims, bool skipsNan) {
    const Expr count = dim(b, x, axis);
    std::vector<Var> both = firstOf(b, x, axis, count, false);
    if (b.failed())
        return {};
    const Var middle = b.scalarOf(arith::simplify(arith::floorDiv(count - 1, 2)));
    Dims shape = b.shape(x);
    shape[static_cast<size_t>(axis)] = 1;
    Var place = full(b, middle, shape);
    if (isFloat(b, x)) {
        const Var isNumber = b.call(Op::LogicalNot, {b.call(Op::IsNan, {x})});
        const Var numbers = reduce(b, "sum", cast(b, isNumber, types::Int64), {axis}, true);
        if (skipsNan) // which stand behind the numbers
            place = floorQuotient(b, maximum(b, addTo(b, numbers, -1), b.scalarInt(0)), b.scalarInt(2));
        else
            place = where(b, equal(b, numbers, b.scalarOf(count)), place, numbers);
    }
    AxisAttrs attrs;
    attrs.axis = axis;
    for (Var& each : both) {
        each = b.call(Op::GatherElements, {each, place}, attrs);
        each = keepDims ? each : squeeze(b, each, {axis});
    }
    return both;
}
template <bool skipsNan>
void convertMedian(Call& call, Builder& b) {
    const bool keepDims = call.flag("keepdim");
    call.give(alongDim(call, call.tensor("self"), call.integer("dim"),
                       [&](Var x, int64_t axis) { return medianOf(b, x, axis, keepDims, skipsNan); }));
}
template <bool skipsNan>
void convertMedianOfAll(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (call.failed())
        return;
    const std::vector<Var> both = medianOf(b, reshape(b, x, {product(b.shape(x))}), 0, false, skipsNan);
    if (!call.failed())
        call.give(both[0]);
}

/// The value that occurs most often, of several the least, and the last of its places.
std::vector<Var> modeOf(Builder& b, Var x, int64_t axis, bool keepDims) {
    const std::vector<Var> both = firstOf(b, x, axis, dim(b, x, axis), false);
    if (b.failed())
        return {};
    // Each beside each: the axis once more in front of itself.
    const Var isSame = equal(b, unsqueeze(b, both[0], {axis}), unsqueeze(b, both[0], {axis + 1}));
    const Var counts = maximum(b, reduce(b, "sum", cast(b, isSame, types::Int64), {axis}, false), b.scalarInt(1));
    ArgReduceAttrs most;
    most.axis = axis;
    most.keepDims = true;
    const Var first = b.call(Op::ArgReduce, {counts}, most);
    AxisAttrs attrs;
    attrs.axis = axis;
    const Var run = b.call(Op::GatherElements, {counts, first}, attrs), last = addTo(b, add(b, first, run), -1);
    std::vector<Var> result = {b.call(Op::GatherElements, {both[0], first}, attrs),
                               b.call(Op::GatherElements, {both[1], last}, attrs)};
    for (Var& each : result)
        each = keepDims ? each : squeeze(b, each, {axis});
    return result;
}
void convertMode(Call& call, Builder& b) {
    const bool keepDims = call.flag("keepdim");
    call.give(alongDim(call, call.tensor("self"), call.integer("dim"),
                       [&](Var x, int64_t axis) { return modeOf(b, x, axis, keepDims); }));
}

/// What lies between elements, in order, at places that are no whole numbers.
Var between(Call& call, Builder& b, Var ordered, Var places) {
    const std::string way = call.text("interpolation");
    AxisAttrs attrs;
    attrs.axis = b.failed() ? 0 : b.rank(ordered) - 1;
    const auto at = [&](Op rounding) {
        return b.call(Op::GatherElements, {ordered, cast(b, b.call(rounding, {places}), types::Int64)}, attrs);
    };
    if (way == "nearest")
        return at(Op::Round);
    if (way == "higher")
        return at(Op::Ceil);
    const Var low = at(Op::Floor);
    if (way == "lower")
        return low;
    if (way != "linear" && way != "midpoint")
        call.fail(fmt::format("an interpolation is called '{}'", way));
    const Var part = way == "midpoint" ? scalarLike(b, 0.5, places) : sub(b, places, b.call(Op::Floor, {places}));
    const Var high = at(Op::Ceil), distance = sub(b, high, low);
    // From the nearer of both, so that equal infinities are no difference where none is taken.
    const Var isHigh = b.call(Op::GreaterEqual, {part, scalarLike(b, 0.5, part)});
    const Var fromHigh = sub(b, high, mul(b, distance, sub(b, scalarLike(b, 1, part), part)));
    return where(b, isHigh, fromHigh, add(b, low, mul(b, distance, part)));
}

/// Below which shares of the elements lie: q in front of the other dims if it has one. A NaN makes all NaN, or is left out.
template <bool skipsNan>
void convertQuantile(Call& call, Builder& b) {
    Var x = call.tensor("self");
    const bool keepDims = call.flag("keepdim"), isWhole = call.isNone("dim");
    if (call.failed())
        return;
    const Var q =
        call.schema.find("q") && call.value("q").as<Var>() ? call.tensor("q") : b.scalar(call.real("q"), b.dtype(x));
    const Dims shape = b.shape(x);
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t axis = isWhole || rank == 0 ? 0 : call.axis(call.integer("dim"), rank);
    if (!call.failed() && (!b.dtype(x).isFloat() || b.rank(q) > 1))
        return call.fail("quantiles are of floats, by one number or a vector of them");
    if (isWhole || rank == 0)
        x = reshape(b, x, {product(shape)});
    if (call.failed())
        return;
    const int64_t last = b.rank(x) - 1;
    Ints order = iotaInts(0, last + 1);
    order.erase(order.begin() + axis);
    order.push_back(axis);
    x = transpose(b, x, order);
    const Expr size = dim(b, x, last), many = b.rank(q) == 1 ? dim(b, q, 0) : Expr(1);
    const Var ordered = firstOf(b, x, last, size, false)[0], zero = scalarLike(b, 0, x);
    const Var isNan = b.call(Op::IsNan, {x});
    const Var numbers = reduce(b, "sum", where(b, isNan, zero, scalarLike(b, 1, x)), {last}, true);
    const Var end =
        skipsNan ? maximum(b, addTo(b, numbers, -1), zero) : cast(b, b.scalarOf(arith::simplify(size - 1)), b.dtype(x));
    Dims wanted = b.shape(x);
    wanted.back() = many;
    const Var places = expand(b, mul(b, reshape(b, cast(b, q, b.dtype(x)), {many}), end), wanted);
    Var result = between(call, b, ordered, places);
    if (!skipsNan) {
        const Var isAny = reduce(b, "or", isNan, {last}, true);
        result = where(b, isAny, scalarLike(b, std::numeric_limits<double>::quiet_NaN(), x), result);
    }
    // [others, q] with q in front, or gone, and the dims that were taken as ones.
    Ints front = iotaInts(0, last);
    front.insert(front.begin(), last);
    Dims outer = shape;
    for (int64_t i = 0; i < rank; ++i)
        if (isWhole || i == axis)
            outer[static_cast<size_t>(i)] = 1;
    if (!keepDims && isWhole)
        outer.clear();
    else if (!keepDims && rank > 0)
        outer.erase(outer.begin() + axis);
    if (b.rank(q) == 1)
        outer.insert(outer.begin(), many);
    call.give(reshape(b, transpose(b, result, front), outer));
}

#define LATHE_QUANTILE ", int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor"

constexpr auto sortRows = std::to_array<Row>({
    {"aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor "
     "indices)",
     convertTopk, Reduction},
    {"aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", convertSort,
     Reduction},
    {"aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor "
     "indices)",
     convertSort, Reduction},
    {"aten::msort(Tensor self) -> Tensor", convertMsort, Reduction},
    {"aten::kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
     convertKthvalue, Reduction},
    {"aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", convertArgsort, Reduction},
    {"aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor", convertArgsort,
     Reduction},
    {"aten::median(Tensor self) -> Tensor", convertMedianOfAll<false>, Reduction},
    {"aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     convertMedian<false>, Reduction},
    {"aten::nanmedian(Tensor self) -> Tensor", convertMedianOfAll<true>, Reduction},
    {"aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     convertMedian<true>, Reduction},
    {"aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", convertMode,
     Reduction},
    {"aten::quantile(Tensor self, Tensor q" LATHE_QUANTILE, convertQuantile<false>, Reduction},
    {"aten::quantile.scalar(Tensor self, float q" LATHE_QUANTILE, convertQuantile<false>, Reduction},
    {"aten::nanquantile(Tensor self, Tensor q" LATHE_QUANTILE, convertQuantile<true>, Reduction},
    {"aten::nanquantile.scalar(Tensor self, float q" LATHE_QUANTILE, convertQuantile<true>, Reduction},
});

#undef LATHE_QUANTILE

} // namespace

std::span<const Row> rowsOfSorts() {
    return sortRows;
}

} // namespace lathe::frontend::torch
