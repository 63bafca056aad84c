// SPDX-License-Identifier: Apache-2.0
//
// What is sorted: all, the greatest, the one in the middle. NaNs are greater than all numbers, equals keep their order.
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/reduced.h"

#include "relay/attrs.h"

#include <array>

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

/// The middle one, of an even number the lower, and its place; the first NaN if there is one.
std::vector<Var> medianOf(Builder& b, Var x, int64_t axis, bool keepDims) {
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
void convertMedian(Call& call, Builder& b) {
    const bool keepDims = call.flag("keepdim");
    call.give(alongDim(call, call.tensor("self"), call.integer("dim"),
                       [&](Var x, int64_t axis) { return medianOf(b, x, axis, keepDims); }));
}
void convertMedianOfAll(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (call.failed())
        return;
    const std::vector<Var> both = medianOf(b, reshape(b, x, {product(b.shape(x))}), 0, false);
    if (!call.failed())
        call.give(both[0]);
}

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
    {"aten::median(Tensor self) -> Tensor", convertMedianOfAll, Reduction},
    {"aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", convertMedian,
     Reduction},
});

} // namespace

std::span<const Row> rowsOfSorts() {
    return sortRows;
}

} // namespace lathe::frontend::torch
