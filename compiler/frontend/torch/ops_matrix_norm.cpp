// SPDX-License-Identifier: Apache-2.0
//
// Norms of matrices and condition numbers, and the operator that takes a norm of either vectors or matrices.
#include "frontend/common/matrices.h"
#include "frontend/common/singular_values.h"
#include "frontend/common/triangles.h"
#include "frontend/torch/linear_algebra.h"
#include "frontend/torch/norms.h"
#include "frontend/torch/ops.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// Which norm of a matrix: by its singular values (2 the largest, -2 the least, nuclear their sum), by sums of columns
/// (1, -1) or rows (infinities), or of all elements as of a vector (Frobenius).
enum class MatrixNorm { Frobenius, Nuclear, Spectral, LeastValue, Columns, LeastColumn, Rows, LeastRow };

std::optional<MatrixNorm> matrixNormOf(double order) {
    if (std::isinf(order))
        return order > 0 ? MatrixNorm::Rows : MatrixNorm::LeastRow;
    if (std::abs(order) == 1)
        return order > 0 ? MatrixNorm::Columns : MatrixNorm::LeastColumn;
    if (std::abs(order) == 2)
        return order > 0 ? MatrixNorm::Spectral : MatrixNorm::LeastValue;
    return std::nullopt;
}
std::optional<MatrixNorm> matrixNormOf(const std::string& order) {
    return order == "fro"   ? std::optional(MatrixNorm::Frobenius)
           : order == "nuc" ? std::optional(MatrixNorm::Nuclear)
                            : std::nullopt;
}

/// Of matrices [.., rows, columns] in float64: [..].
Var matrixNorm(Builder& b, Var x, MatrixNorm norm) {
    using enum MatrixNorm;
    if (!needRank(b, x, 2))
        return {};
    const int64_t row = b.rank(x) - 2, column = row + 1;
    if (norm == Frobenius)
        return normOf(b, x, 2, {row, column}, false);
    const auto extremeOfSums = [&](int64_t summed, const std::string& kind) {
        return reduce(b, kind, reduce(b, "sum", b.call(Op::Abs, {x}), {summed}, false), {row}, false);
    };
    if (norm == Columns || norm == LeastColumn)
        return extremeOfSums(row, norm == Columns ? "max" : "min");
    if (norm == Rows || norm == LeastRow)
        return extremeOfSums(column, norm == Rows ? "max" : "min");
    const Var values = singularValuesOnly(b, x);
    return reduce(b, norm == Nuclear ? "sum" : norm == Spectral ? "max" : "min", values, {row}, false);
}

/// Gives the norm of the matrices that two dims of "self" are.
void giveMatrixNorm(Call& call, Builder& b, std::optional<MatrixNorm> norm, Ints axes, bool keepDims,
                    std::optional<DataType> dtype) {
    const Var given = call.tensor("self");
    if (call.failed())
        return;
    const int64_t rank = b.rank(given);
    if (!norm)
        return call.fail("matrices have no norm of that order");
    if (axes.size() != 2 || rank < 2)
        return call.fail(fmt::format("a norm over {} dims of {} is none of matrices", axes.size(), rank));
    for (int64_t& axis : axes)
        axis = call.axis(axis, rank);
    if (!call.failed() && axes[0] == axes[1])
        call.fail("a matrix has two different dims");
    const DataType result = dtype.value_or(b.dtype(given));
    if (!call.failed() && !result.isFloat())
        call.fail("matrices of integers have no norm", "convert them to floats in the program");
    if (call.failed())
        return;
    Ints order;
    for (int64_t i = 0; i < rank; ++i)
        if (i != axes[0] && i != axes[1])
            order.push_back(i);
    order.insert(order.end(), axes.begin(), axes.end());
    const Var x = cast(b, transpose(b, cast(b, given, result), order), types::Float64);
    const Var value = cast(b, matrixNorm(b, x, *norm), result);
    call.give(keepDims ? unsqueeze(b, value, {std::min(axes[0], axes[1]), std::max(axes[0], axes[1])}) : value);
}

void convertMatrixNorm(Call& call, Builder& b) {
    giveMatrixNorm(call, b, matrixNormOf(call.real("ord")), call.integers("dim"), call.flag("keepdim"),
                   call.dtype("dtype"));
}
void convertMatrixNormByName(Call& call, Builder& b) {
    giveMatrixNorm(call, b, matrixNormOf(call.text("ord")), call.integers("dim"), call.flag("keepdim"),
                   call.dtype("dtype"));
}

void giveVectorNorm(Call& call, Builder& b, double order, const Ints& axes, bool keepDims) {
    const std::optional<DataType> dtype = call.dtype("dtype");
    Var x = call.tensor("self");
    x = dtype ? cast(b, x, *dtype) : x;
    if (!call.failed() && !b.dtype(x).isFloat())
        return call.fail("integers have no norm", "convert them to floats in the program");
    call.give(inSingle(b, x, [&](Var v) { return normOf(b, v, order, axes, keepDims); }));
}

/// Of vectors, of matrices, or of all elements as of a vector, whichever the dims and the order say.
void convertLinalgNorm(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const std::optional<double> order = call.optionalReal("ord");
    const Ints dims = call.integers("dim");
    const bool keepDims = call.flag("keepdim");
    if (call.failed())
        return;
    const int64_t rank = b.rank(x);
    const bool isMatrix = order && (dims.size() == 2 || (dims.empty() && rank == 2));
    if (isMatrix)
        return giveMatrixNorm(call, b, matrixNormOf(*order), dims.empty() ? Ints{0, 1} : dims, keepDims,
                              call.dtype("dtype"));
    if (order && dims.empty() && rank > 2)
        return call.fail(fmt::format("a tensor with {} dims is neither a vector nor a matrix", rank));
    giveVectorNorm(call, b, order.value_or(2), call.axes("dim", rank), keepDims);
}
void convertLinalgNormByName(Call& call, Builder& b) {
    const Ints dims = call.integers("dim");
    giveMatrixNorm(call, b, matrixNormOf(call.text("ord")), dims.empty() ? Ints{0, 1} : dims, call.flag("keepdim"),
                   call.dtype("dtype"));
}

/// A matrix's norm times that of its inverse; the largest singular value by the least.
void giveConditionNumber(Call& call, Builder& b, std::optional<MatrixNorm> norm) {
    const Var x = firstMatrices(call);
    if (!call.failed() && !norm)
        call.fail("matrices have no norm of that order");
    if (call.failed())
        return;
    if (norm == MatrixNorm::Spectral || norm == MatrixNorm::LeastValue) {
        const Var values = singularValuesOnly(b, x);
        if (!needRank(b, values, 1))
            return;
        const int64_t last = b.rank(values) - 1;
        const Var large = reduce(b, "max", values, {last}, false), small = reduce(b, "min", values, {last}, false);
        return giveLikeFirst(call, {norm == MatrixNorm::Spectral ? div(b, large, small) : div(b, small, large)});
    }
    const Var product = mul(b, matrixNorm(b, x, *norm), matrixNorm(b, inverted(b, x), *norm));
    // What has no inverse is as badly conditioned as can be.
    const Var isNone = b.call(Op::IsNan, {product});
    giveLikeFirst(call, {where(b, isNone, scalarLike(b, std::numeric_limits<double>::infinity(), product), product)});
}
void convertConditionNumber(Call& call, Builder& b) {
    giveConditionNumber(call, b, matrixNormOf(call.optionalReal("p").value_or(2)));
}
void convertConditionNumberByName(Call& call, Builder& b) {
    giveConditionNumber(call, b, matrixNormOf(call.text("p")));
}

#define LATHE_NORM_END ", bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"

constexpr auto matrixNormRows = std::to_array<Row>({
    {"aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2,-1]" LATHE_NORM_END, convertMatrixNorm,
     Reduction},
    {"aten::linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2,-1]" LATHE_NORM_END,
     convertMatrixNormByName, Reduction},
    {"aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None" LATHE_NORM_END, convertLinalgNorm, Reduction},
    {"aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None" LATHE_NORM_END, convertLinalgNormByName,
     Reduction},
    {"aten::linalg_cond(Tensor self, Scalar? p=None) -> Tensor", convertConditionNumber, Reduction},
    {"aten::linalg_cond.p_str(Tensor self, str p) -> Tensor", convertConditionNumberByName, Reduction},
});

#undef LATHE_NORM_END

} // namespace

std::span<const Row> rowsOfMatrixNorms() {
    return matrixNormRows;
}

} // namespace lathe::frontend::torch
