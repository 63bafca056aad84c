// SPDX-License-Identifier: Apache-2.0
//
// Variances, norms and logarithms of sums.
#include "frontend/common/reductions.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/reduced.h"

#include "relay/attrs.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

// ---- variances

/// What a call of a variance asks for.
struct Spread {
    Ints axes;
    double correction = 1; // of the number of elements that squares are divided by
    bool keepDims = false;
};

Spread ofAll(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    return {b.failed() ? Ints{} : iotaInts(0, b.rank(x)), call.flag("unbiased") ? 1.0 : 0.0, false};
}
Spread ofDims(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    return {b.failed() ? Ints{} : call.axes("dim", b.rank(x)), call.flag("unbiased") ? 1.0 : 0.0, call.flag("keepdim")};
}
Spread ofCorrected(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    return {b.failed() ? Ints{} : call.axes("dim", b.rank(x)), call.optionalReal("correction").value_or(1),
            call.flag("keepdim")};
}

/// The variance, or its root, and the mean.
std::vector<Var> spreadOf(Builder& b, Var x, const Spread& spread, bool root) {
    const Var mean = reduceOver(b, "mean", x, spread.axes, true), centered = sub(b, x, mean);
    const Var sum = reduceOver(b, "sum", mul(b, centered, centered), spread.axes, spread.keepDims);
    if (b.failed())
        return {};
    const Var count = cast(b, b.scalarOf(countOf(b, x, spread.axes)), b.dtype(x));
    const Var divisor = maximum(b, addTo(b, count, -spread.correction), scalarLike(b, 0, x));
    const Var variance = div(b, sum, divisor);
    return {root ? b.call(Op::Sqrt, {variance}) : variance, spread.keepDims ? mean : squeeze(b, mean, spread.axes)};
}

template <Spread (*read)(Call&, Builder&), bool root, bool withMean>
void convertSpread(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const Spread spread = read(call, b);
    if (call.failed())
        return;
    const DataType dtype = b.dtype(x);
    if (!dtype.isFloat())
        return call.fail(fmt::format("the variance of {} is not defined", toString(dtype)),
                         "convert it to floats in the program");
    std::vector<Var> results = spreadOf(b, cast(b, x, computeType(b, x)), spread, root);
    for (Var& result : results)
        result = cast(b, result, dtype);
    if (!withMean && !results.empty())
        results.pop_back();
    call.give(results);
}

// ---- norms

/// (sum of |x|^p)^(1 / p); at 0 the count of what is not 0, at infinities the extremes.
Var normOf(Builder& b, Var x, double p, const Ints& axes, bool keepDims) {
    const Var size = b.call(Op::Abs, {x});
    if (std::isinf(p))
        return reduceOver(b, p > 0 ? "max" : "min", size, axes, keepDims);
    if (p == 0)
        return b.failed() ? Var{} : reduceOver(b, "sum", cast(b, asBool(b, x), b.dtype(x)), axes, keepDims);
    if (p == 1)
        return reduceOver(b, "sum", size, axes, keepDims);
    if (p == 2)
        return b.call(Op::Sqrt, {reduceOver(b, "sum", mul(b, x, x), axes, keepDims)});
    const Var sum = reduceOver(b, "sum", b.call(Op::Power, {size, scalarLike(b, p, size)}), axes, keepDims);
    return b.call(Op::Power, {sum, scalarLike(b, 1 / p, sum)});
}

void giveNorm(Call& call, Builder& b, double p, bool hasDims, std::optional<DataType> dtype) {
    Var x = call.tensor("self");
    if (call.failed())
        return;
    const Ints axes = hasDims ? call.axes("dim", b.rank(x)) : iotaInts(0, b.rank(x));
    const bool keepDims = hasDims && call.flag("keepdim");
    x = dtype ? cast(b, x, *dtype) : x;
    if (!call.failed() && !b.dtype(x).isFloat())
        return call.fail("integers have no norm", "convert them to floats in the program");
    call.give(inSingle(b, x, [&](Var v) { return normOf(b, v, p, axes, keepDims); }));
}
void convertNorm(Call& call, Builder& b) {
    giveNorm(call, b, call.optionalReal("p").value_or(2), false, std::nullopt);
}
void convertNormTyped(Call& call, Builder& b) {
    giveNorm(call, b, call.optionalReal("p").value_or(2), false, call.dtype("dtype"));
}
void convertNormOfDims(Call& call, Builder& b) {
    giveNorm(call, b, call.optionalReal("p").value_or(2), true, std::nullopt);
}
void convertNormOfDimsTyped(Call& call, Builder& b) {
    giveNorm(call, b, call.optionalReal("p").value_or(2), true, call.dtype("dtype"));
}
void convertVectorNorm(Call& call, Builder& b) {
    giveNorm(call, b, call.real("ord"), true, call.dtype("dtype"));
}

void convertLogsumexp(Call& call, Builder& b) {
    const Var x = promotedToFloat(call, call.tensor("self"));
    if (call.failed())
        return;
    const Ints axes = call.axes("dim", b.rank(x));
    const bool keepDims = call.flag("keepdim");
    call.give(inSingle(b, x, [&](Var v) { return logSumExp(b, v, axes, keepDims); }));
}

#define LATHE_CORRECTED "(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> "
#define LATHE_OF_DIMS "(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> "
#define LATHE_OF_ALL "(Tensor self, bool unbiased=True) -> "

constexpr auto statisticsRows = std::to_array<Row>({
    {"aten::var" LATHE_OF_ALL "Tensor", convertSpread<ofAll, false, false>, Reduction},
    {"aten::var.dim" LATHE_OF_DIMS "Tensor", convertSpread<ofDims, false, false>, Reduction},
    {"aten::var.correction" LATHE_CORRECTED "Tensor", convertSpread<ofCorrected, false, false>, Reduction},
    {"aten::std" LATHE_OF_ALL "Tensor", convertSpread<ofAll, true, false>, Reduction},
    {"aten::std.dim" LATHE_OF_DIMS "Tensor", convertSpread<ofDims, true, false>, Reduction},
    {"aten::std.correction" LATHE_CORRECTED "Tensor", convertSpread<ofCorrected, true, false>, Reduction},
    {"aten::var_mean" LATHE_OF_ALL "(Tensor, Tensor)", convertSpread<ofAll, false, true>, Reduction},
    {"aten::var_mean.dim" LATHE_OF_DIMS "(Tensor, Tensor)", convertSpread<ofDims, false, true>, Reduction},
    {"aten::var_mean.correction" LATHE_CORRECTED "(Tensor, Tensor)", convertSpread<ofCorrected, false, true>,
     Reduction},
    {"aten::std_mean" LATHE_OF_ALL "(Tensor, Tensor)", convertSpread<ofAll, true, true>, Reduction},
    {"aten::std_mean.dim" LATHE_OF_DIMS "(Tensor, Tensor)", convertSpread<ofDims, true, true>, Reduction},
    {"aten::std_mean.correction" LATHE_CORRECTED "(Tensor, Tensor)", convertSpread<ofCorrected, true, true>, Reduction},
    {"aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor", convertNorm, Reduction},
    {"aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor", convertNormTyped, Reduction},
    {"aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor", convertNormOfDims,
     Reduction},
    {"aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor",
     convertNormOfDimsTyped, Reduction},
    {"aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
     "dtype=None) -> Tensor",
     convertVectorNorm, Reduction},
    {"aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", convertLogsumexp, Reduction},
});

#undef LATHE_OF_ALL
#undef LATHE_OF_DIMS
#undef LATHE_CORRECTED

} // namespace

std::span<const Row> rowsOfStatistics() {
    return statisticsRows;
}

} // namespace lathe::frontend::torch
