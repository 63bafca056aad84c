// SPDX-License-Identifier: Apache-2.0
//
// Variances and what variables have in common, norms, and logarithms of sums.
#include "frontend/common/reductions.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/norms.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/reduced.h"

#include "relay/attrs.h"

#include <array>
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

/// How far two tensors are apart.
void convertDist(Call& call, Builder& b) {
    const double p = call.real("p");
    call.give(
        roundedOnce(b, operandsOf(call, {"self", "other"}, Integers::BecomeFloat), [&](const std::vector<Var>& of) {
            const Var difference = sub(b, of[0], of[1]);
            return normOf(b, difference, p, b.failed() ? Ints{} : iotaInts(0, b.rank(difference)), false);
        }));
}

/// Slices along a dim, those that are too long scaled down.
void convertRenorm(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const double p = call.real("p"), most = call.real("maxnorm");
    if (call.failed())
        return;
    const int64_t axis = call.axis(call.integer("dim"), b.rank(x));
    Ints others = iotaInts(0, b.rank(x));
    std::erase(others, axis);
    call.give(inSingle(b, x, [&](Var v) {
        const Var norm = normOf(b, v, p, others, true), limit = scalarLike(b, most, v);
        const Var factor = div(b, limit, addTo(b, norm, 1e-7)); // as PyTorch keeps it from 0
        return mul(b, v, where(b, less(b, limit, norm), factor, scalarLike(b, 1, v)));
    }));
}

// ---- covariances

/// Of the rows of x, a matrix or a vector as one row, or of a matrix's rows with weights for its columns.
Var covariance(Call& call, Builder& b, Var given, double correction, Var repeats, Var weights) {
    if (call.failed())
        return {};
    if (b.rank(given) > 2) {
        call.fail(fmt::format("a tensor with {} dims has no variables in rows", b.rank(given)));
        return {};
    }
    Var x = promotedToFloat(call, given);
    x = b.failed() || b.rank(x) == 2 ? x : reshape(b, x, {1, product(b.shape(x))});
    if (call.failed())
        return {};
    const DataType dtype = b.dtype(x);
    x = cast(b, x, computeType(b, x));
    Var own = full(b, scalarLike(b, 1, x), {dim(b, x, 1)});
    for (const Var each : {repeats, weights})
        if (each)
            own = mul(b, own, cast(b, each, b.dtype(own)));
    const Var sum = reduce(b, "sum", own, {0}, false);
    const Var mean = div(b, reduce(b, "sum", mul(b, x, own), {1}, true), sum);
    Var lost = scalarLike(b, correction, x);
    if (weights)
        lost = mul(b, lost, div(b, reduce(b, "sum", mul(b, own, cast(b, weights, b.dtype(own))), {0}, false), sum));
    const Var divisor = maximum(b, sub(b, sum, lost), scalarLike(b, 0, x)), centered = sub(b, x, mean);
    const Var all = div(b, matmul(b, mul(b, centered, own), centered, false, true), divisor);
    if (b.failed())
        return {};
    return cast(b, arith::isConst(dim(b, all, 0), 1) ? asScalar(b, all) : all, dtype); // of one variable a number
}
void convertCov(Call& call, Builder& b) {
    call.give(covariance(call, b, call.tensor("self"), call.real("correction"), call.optionalTensor("fweights"),
                         call.optionalTensor("aweights")));
}
void convertCorrcoef(Call& call, Builder& b) {
    const Var all = covariance(call, b, call.tensor("self"), 1, {}, {});
    if (call.failed())
        return;
    if (b.rank(all) == 0)
        return call.give(div(b, all, all));
    const Dims shape = b.shape(all);
    const Var isOn = equal(b, iota(b, shape, 0, types::Int64), iota(b, shape, 1, types::Int64));
    const Var variances = reduce(b, "sum", where(b, isOn, all, scalarLike(b, 0, all)), {1}, false);
    const Var deviations = b.call(Op::Sqrt, {variances});
    const Var quotient = div(b, div(b, all, unsqueeze(b, deviations, {1})), deviations);
    const Var one = scalarLike(b, 1, all);
    call.give(maximum(b, minimum(b, quotient, one), b.call(Op::Negative, {one})));
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
    {"aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor", convertDist, Reduction},
    {"aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", convertRenorm, Normalization},
    {"aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor", convertCov,
     Product},
    {"aten::corrcoef(Tensor self) -> Tensor", convertCorrcoef, Product},
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
