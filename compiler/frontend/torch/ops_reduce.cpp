// SPDX-License-Identifier: Apache-2.0
//
// Reductions and scans: sums, products, extremes and where they stand, conditions.
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/reduced.h"

#include "relay/attrs.h"

#include <array>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

/// x in the type that is asked for; without one sums of integers and bools are int64.
Var inSumType(Call& call, Builder& b, Var x) {
    const std::optional<DataType> dtype = call.dtype("dtype");
    return cast(b, x, dtype ? *dtype : isFloat(b, x) ? b.dtype(x) : types::Int64);
}

/// The axes of "self" that "dim" names: a list, or one; all where there is none.
Ints axesOf(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    return call.failed() ? Ints{} : call.axes("dim", b.rank(x));
}

void giveReduced(Call& call, Builder& b, const std::string& kind, Var x, const Ints& axes, bool keepDims) {
    call.give(reduceOver(b, kind, x, axes, keepDims));
}
Ints allAxes(Builder& b, Var x) {
    return b.failed() ? Ints{} : iotaInts(0, b.rank(x));
}

// ---- sums and products

void convertSumAll(Call& call, Builder& b) {
    const Var x = inSumType(call, b, call.tensor("self"));
    giveReduced(call, b, "sum", x, allAxes(b, x), false);
}
void convertSum(Call& call, Builder& b) {
    giveReduced(call, b, "sum", inSumType(call, b, call.tensor("self")), axesOf(call, b), call.flag("keepdim"));
}
void convertProdAll(Call& call, Builder& b) {
    const Var x = inSumType(call, b, call.tensor("self"));
    giveReduced(call, b, "prod", x, allAxes(b, x), false);
}
void convertProd(Call& call, Builder& b) {
    giveReduced(call, b, "prod", inSumType(call, b, call.tensor("self")), axesOf(call, b), call.flag("keepdim"));
}

void giveMean(Call& call, Builder& b, const Ints& axes, bool keepDims) {
    const Var x = call.tensor("self");
    const std::optional<DataType> dtype = call.dtype("dtype");
    if (!call.failed() && !dtype.value_or(b.dtype(x)).isFloat())
        return call.fail("the mean of integers is taken without a type for it",
                         "convert them to floats in the program");
    giveReduced(call, b, "mean", dtype ? cast(b, x, *dtype) : x, axes, keepDims);
}
void convertMeanAll(Call& call, Builder& b) {
    giveMean(call, b, allAxes(b, call.tensor("self")), false);
}
void convertMean(Call& call, Builder& b) {
    giveMean(call, b, axesOf(call, b), call.flag("keepdim"));
}

template <bool product>
void convertCumulative(Call& call, Builder& b) {
    const Var x = inSumType(call, b, call.tensor("self"));
    call.give(alongDim(call, x, call.integer("dim"), [&](Var v, int64_t axis) {
        CumAttrs attrs;
        attrs.axis = axis;
        attrs.product = product;
        return std::vector{b.call(Op::CumSum, {v}, attrs)};
    }));
}

/// NaNs count as nothing; `mean`: of those that are numbers.
template <bool mean>
void convertNumbersSum(Call& call, Builder& b) {
    const Var x = inSumType(call, b, call.tensor("self"));
    const Ints axes = axesOf(call, b);
    const bool keepDims = call.flag("keepdim");
    if (!isFloat(b, x))
        return mean ? call.fail("integers have no mean without a type for it")
                    : call.give(reduceOver(b, "sum", x, axes, keepDims));
    call.give(inSingle(b, x, [&](Var v) {
        const Var isNan = b.call(Op::IsNan, {v}), zero = scalarLike(b, 0, v);
        const Var sum = reduceOver(b, "sum", where(b, isNan, zero, v), axes, keepDims);
        return mean ? div(b, sum, reduceOver(b, "sum", where(b, isNan, zero, scalarLike(b, 1, v)), axes, keepDims))
                    : sum;
    }));
}

void giveNonzeros(Call& call, Builder& b, const Ints& axes) {
    giveReduced(call, b, "sum", cast(b, asBool(b, call.tensor("self")), types::Int64), axes, false);
}
void convertCountNonzero(Call& call, Builder& b) {
    giveNonzeros(call, b, axesOf(call, b));
}

// ---- extremes

template <bool max>
void convertExtremesOf(Call& call, Builder& b) {
    giveReduced(call, b, max ? "max" : "min", call.tensor("self"), axesOf(call, b), call.flag("keepdim"));
}
template <bool max>
void convertExtremeOfAll(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    giveReduced(call, b, max ? "max" : "min", x, allAxes(b, x), false);
}

/// The least and the greatest along a dim, or of all.
void convertAminmax(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const Ints axes = axesOf(call, b);
    const bool keepDims = call.flag("keepdim");
    call.give({reduceOver(b, "min", x, axes, keepDims), reduceOver(b, "max", x, axes, keepDims)});
}

Var placeOf(Builder& b, Var x, int64_t axis, bool max, bool keepDims) {
    ArgReduceAttrs attrs;
    attrs.max = max;
    attrs.axis = axis;
    attrs.keepDims = keepDims;
    return b.call(Op::ArgReduce, {x}, attrs);
}

/// The extreme along a dim, and its place there.
template <bool max>
void convertExtremeWithPlace(Call& call, Builder& b) {
    const bool keepDims = call.flag("keepdim");
    call.give(alongDim(call, call.tensor("self"), call.integer("dim"), [&](Var x, int64_t axis) {
        return std::vector{reduce(b, max ? "max" : "min", x, {axis}, keepDims), placeOf(b, x, axis, max, keepDims)};
    }));
}

template <bool max>
void convertPlace(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const bool keepDims = call.flag("keepdim");
    if (!call.isNone("dim"))
        return call.give(alongDim(call, x, call.integer("dim"), [&](Var v, int64_t axis) {
            return std::vector{placeOf(b, v, axis, max, keepDims)};
        }));
    if (call.failed())
        return;
    const Var place = placeOf(b, reshape(b, x, {product(b.shape(x))}), 0, max, false);
    call.give(keepDims ? reshape(b, place, Dims(static_cast<size_t>(b.rank(x)), Expr(1))) : place);
}

// ---- conditions

/// Of uint8 the result is uint8, as it was before there was a type for bools.
void giveCondition(Call& call, Builder& b, const std::string& kind, const Ints& axes, bool keepDims) {
    const Var x = call.tensor("self");
    const Var result = reduceOver(b, kind, asBool(b, x), axes, keepDims);
    if (!call.failed())
        call.give(b.dtype(x) == types::UInt8 ? cast(b, result, types::UInt8) : result);
}
template <bool all>
void convertConditionOfAll(Call& call, Builder& b) {
    giveCondition(call, b, all ? "and" : "or", allAxes(b, call.tensor("self")), false);
}
template <bool all>
void convertCondition(Call& call, Builder& b) {
    giveCondition(call, b, all ? "and" : "or", axesOf(call, b), call.flag("keepdim"));
}

// ---- softmax

/// Along "dim", in the type that is asked for.
void giveSoftmax(Call& call, Builder& b, Op op, bool toSingle) {
    Var x = call.tensor("self");
    if (toSingle && !call.failed() && call.flag("half_to_float"))
        x = cast(b, x, types::Float32);
    else if (!toSingle)
        if (const std::optional<DataType> dtype = call.dtype("dtype"))
            x = cast(b, x, *dtype);
    if (!call.failed() && !b.dtype(x).isFloat())
        x = promotedToFloat(call, x);
    call.give(alongDim(call, x, call.integer("dim"), [&](Var v, int64_t axis) {
        AxisAttrs attrs;
        attrs.axis = axis;
        return std::vector{b.call(op, {v}, attrs)};
    }));
}
template <Op op>
void convertSoftmax(Call& call, Builder& b) {
    giveSoftmax(call, b, op, false);
}
template <Op op>
void convertSoftmaxToSingle(Call& call, Builder& b) {
    giveSoftmax(call, b, op, true);
}

constexpr auto reductionRows = std::to_array<Row>({
    {"aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", convertSumAll, Reduction},
    {"aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     convertSum, Reduction},
    {"aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", convertProdAll, Reduction},
    {"aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", convertProd,
     Reduction},
    {"aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", convertMeanAll, Reduction},
    {"aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", convertMean,
     Reduction},
    {"aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     convertNumbersSum<false>, Reduction},
    {"aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     convertNumbersSum<true>, Reduction},
    {"aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", convertCumulative<false>, Reduction},
    {"aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", convertCumulative<true>, Reduction},
    {"aten::count_nonzero(Tensor self, int? dim=None) -> Tensor", convertCountNonzero, Reduction},
    {"aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor", convertCountNonzero, Reduction},
    {"aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", convertExtremesOf<true>, Reduction},
    {"aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", convertExtremesOf<false>, Reduction},
    {"aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)", convertAminmax,
     Reduction},
    {"aten::max(Tensor self) -> Tensor", convertExtremeOfAll<true>, Reduction},
    {"aten::min(Tensor self) -> Tensor", convertExtremeOfAll<false>, Reduction},
    {"aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     convertExtremeWithPlace<true>, Reduction},
    {"aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     convertExtremeWithPlace<false>, Reduction},
    {"aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", convertPlace<true>, Reduction},
    {"aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", convertPlace<false>, Reduction},
    {"aten::any(Tensor self) -> Tensor", convertConditionOfAll<false>, Logic},
    {"aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", convertCondition<false>, Logic},
    {"aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", convertCondition<false>, Logic},
    {"aten::all(Tensor self) -> Tensor", convertConditionOfAll<true>, Logic},
    {"aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", convertCondition<true>, Logic},
    {"aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", convertCondition<true>, Logic},
    {"aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", convertSoftmax<Op::Softmax>,
     Activation},
    {"aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", convertSoftmax<Op::LogSoftmax>,
     Activation},
    {"aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", convertSoftmaxToSingle<Op::Softmax>,
     Activation},
    {"aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", convertSoftmaxToSingle<Op::LogSoftmax>,
     Activation},
});

} // namespace

std::span<const Row> rowsOfReductions() {
    return reductionRows;
}

} // namespace lathe::frontend::torch
