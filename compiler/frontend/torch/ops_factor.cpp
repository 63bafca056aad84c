// SPDX-License-Identifier: Apache-2.0
//
// Orthogonal factors, singular values and eigenvalues of matrices, and what is made of them: pseudo-inverses, ranks and
// roots. Signs of singular vectors and eigenvectors are not defined; they may be others than PyTorch's.
#include "frontend/common/matrices.h"
#include "frontend/common/reflections.h"
#include "frontend/common/singular_values.h"
#include "frontend/torch/linear_algebra.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

Var noMatrices(Builder& b) {
    return full(b, b.scalar(0, types::Float64), {0});
}

// ---- reflections

void giveQr(Call& call, Builder& b, const std::string& mode) {
    const Var a = firstMatrices(call);
    const Reflections factors = reflected(b, a);
    if (mode != "reduced" && mode != "complete" && mode != "r")
        call.fail(fmt::format("a mode is called '{}'", mode), "reduced, complete or r");
    if (call.failed())
        return;
    const Expr rows = dim(b, a, -2), least = arith::simplify(arith::min(rows, dim(b, a, -1)));
    const Expr count = mode == "complete" ? rows : least;
    giveLikeFirst(call, {mode == "r" ? noMatrices(b) : orthogonalColumns(b, factors, count),
                         triangularFactor(b, factors, count)});
}
void convertLinalgQr(Call& call, Builder& b) {
    giveQr(call, b, call.text("mode"));
}
void convertQr(Call& call, Builder& b) {
    giveQr(call, b, call.flag("some") ? "reduced" : "complete");
}
void convertGeqrf(Call& call, Builder& b) {
    const Reflections factors = reflected(b, firstMatrices(call));
    giveLikeFirst(call, {factors.columns, factors.factors});
}

/// Reflections as geqrf gives them.
Reflections reflectionsOf(Call& call, Builder& b, const char* columns, const char* factors) {
    Reflections of;
    of.columns = matricesOf(call, columns);
    of.factors = cast(b, call.tensor(factors), types::Float64);
    return of;
}
void convertHouseholderProduct(Call& call, Builder& b) {
    const Reflections of =
        reflectionsOf(call, b, call.schema.arguments[0].name.c_str(), call.schema.arguments[1].name.c_str());
    if (!call.failed())
        giveLikeFirst(call, {orthogonalColumns(b, of, dim(b, of.columns, -1))});
}
/// Q or Qᵀ times a matrix, or that times it.
void convertOrmqr(Call& call, Builder& b) {
    const Reflections of = reflectionsOf(call, b, "self", "input2");
    const Var x = matricesOf(call, "input3");
    const bool isLeft = call.flag("left"), isTurned = call.flag("transpose");
    if (isLeft)
        return giveLikeFirst(call, {timesReflections(b, of, x, isTurned)});
    giveLikeFirst(call, {transposed(b, timesReflections(b, of, transposed(b, x), !isTurned))});
}

// ---- singular values

void giveSvd(Call& call, Builder& b, bool isComplete, bool isTurned) {
    const SingularValues of = singularValues(b, firstMatrices(call), isComplete);
    giveLikeFirst(call, {of.left, of.values, isTurned ? transposed(b, of.right) : of.right});
}
void convertLinalgSvd(Call& call, Builder& b) {
    giveSvd(call, b, call.flag("full_matrices"), true);
}
void convertLinalgSvdOrValues(Call& call, Builder& b) {
    if (call.flag("compute_uv"))
        return giveSvd(call, b, call.flag("full_matrices"), true);
    giveLikeFirst(call, {noMatrices(b), singularValuesOnly(b, firstMatrices(call)), noMatrices(b)});
}
/// Without vectors it gives zeros for them.
void convertSvd(Call& call, Builder& b) {
    if (call.flag("compute_uv"))
        return giveSvd(call, b, !call.flag("some"), false);
    const Var a = firstMatrices(call), values = singularValuesOnly(b, a);
    const auto zeros = [&](int64_t axis) {
        Dims shape = outerDims(b, a);
        shape.insert(shape.end(), 2, dim(b, a, axis));
        return full(b, b.scalar(0, types::Float64), shape);
    };
    if (!call.failed())
        giveLikeFirst(call, {zeros(-2), values, zeros(-1)});
}
void convertSingularValues(Call& call, Builder& b) {
    giveLikeFirst(call, {singularValuesOnly(b, firstMatrices(call))});
}

Eigenvalues eigenvaluesOf(Call& call, Builder& b) {
    const std::string half = call.text("UPLO");
    if (half != "L" && half != "U" && half != "l" && half != "u")
        call.fail(fmt::format("a half of a matrix is called '{}'", half), "L or U");
    return symmetricEigenvalues(b, firstMatrices(call), half == "U" || half == "u");
}
void convertEigh(Call& call, Builder& b) {
    const Eigenvalues of = eigenvaluesOf(call, b);
    giveLikeFirst(call, {of.values, of.vectors});
}
void convertEighOrValues(Call& call, Builder& b) {
    const Eigenvalues of = eigenvaluesOf(call, b);
    giveLikeFirst(call, {of.values, call.flag("compute_v") ? of.vectors : noMatrices(b)});
}
void convertEigenvalues(Call& call, Builder& b) {
    giveLikeFirst(call, {eigenvaluesOf(call, b).values});
}

// ---- what is made of them

/// The singular values, and their factors, of a matrix that may be said to be symmetric: then by its lower half.
SingularValues valuesOf(Call& call, Builder& b, Var a) {
    if (!call.schema.find("hermitian") || !call.flag("hermitian"))
        return singularValues(b, a);
    const Eigenvalues of = symmetricEigenvalues(b, a);
    if (!needRank(b, of.values, 1))
        return {};
    const Var size = b.call(Op::Abs, {of.values}), sign = b.call(Op::Sign, {of.values});
    return {mul(b, of.vectors, unsqueeze(b, sign, {b.rank(sign) - 1})), size, of.vectors};
}

/// A bound of an argument that may be absent, a number, or a tensor with an element a matrix: [.., 1] or [].
Var boundOf(Call& call, Builder& b, const char* name, double otherwise) {
    if (!call.schema.find(name) || call.isNone(name))
        return b.scalar(otherwise, types::Float64);
    if (!call.value(name).as<Var>())
        return b.scalar(call.real(name), types::Float64);
    const Var given = cast(b, call.tensor(name), types::Float64);
    return b.failed() || b.rank(given) == 0 ? given : unsqueeze(b, given, {b.rank(given)});
}

/// Bools: which singular values count, those above atol and rtol times the largest. rtol is by default what rounding makes
/// of zeros, and nothing where atol is said.
Var isCounted(Call& call, Builder& b, Var a, Var values, const char* rtol) {
    const Var given = call.tensor(call.schema.arguments[0].name.c_str());
    if (call.failed() || !needRank(b, values, 1))
        return {};
    const auto rows = arith::asInt(dim(b, a, -2)), columns = arith::asInt(dim(b, a, -1));
    const DataType dtype = b.dtype(given);
    const double rounding = dtype == types::Float64 ? 0x1p-52 : dtype == types::Float32 ? 0x1p-23 : 0x1p-10;
    const double usual = rounding * static_cast<double>(std::max(rows.value_or(0), columns.value_or(0)));
    const bool hasAtol = call.schema.find("atol") && !call.isNone("atol");
    const Var absolute = boundOf(call, b, "atol", 0);
    Var relative = boundOf(call, b, rtol, usual);
    if (hasAtol && call.isNone(rtol))
        relative =
            where(b, b.call(Op::Greater, {absolute, scalarLike(b, 0, absolute)}), scalarLike(b, 0, relative), relative);
    if (call.failed() || arith::isConst(dim(b, values, -1), 0))
        return call.failed() ? Var{} : full(b, b.scalar(0, types::Bool), b.shape(values));
    const Var largest = reduce(b, "max", values, {b.rank(values) - 1}, true);
    return b.call(Op::Greater, {values, maximum(b, absolute, mul(b, relative, largest))});
}

void givePseudoInverse(Call& call, Builder& b, const char* rtol) {
    const Var a = firstMatrices(call);
    const SingularValues of = valuesOf(call, b, a);
    const Var counts = isCounted(call, b, a, of.values, rtol);
    const Var zero = scalarLike(b, 0, of.values);
    const Var inverse = where(b, counts, b.call(Op::Reciprocal, {of.values}), zero);
    giveLikeFirst(call, {composed(b, of.right, inverse, of.left)});
}
void convertPseudoInverse(Call& call, Builder& b) {
    givePseudoInverse(call, b, "rcond");
}
void convertPseudoInverseByBounds(Call& call, Builder& b) {
    givePseudoInverse(call, b, "rtol");
}

/// How many singular values are above "tol", or those that isCounted counts.
void giveMatrixRank(Call& call, Builder& b, bool isAbsolute) {
    const Var a = firstMatrices(call);
    const bool isSymmetric = call.flag("hermitian");
    const Var values = isSymmetric ? b.call(Op::Abs, {symmetricEigenvalues(b, a).values}) : singularValuesOnly(b, a);
    if (!needRank(b, values, 1))
        return;
    const Var counts =
        isAbsolute ? b.call(Op::Greater, {values, boundOf(call, b, "tol", 0)}) : isCounted(call, b, a, values, "rtol");
    call.give(reduce(b, "sum", cast(b, counts, types::Int64), {b.rank(values) - 1}, false));
}
void convertMatrixRank(Call& call, Builder& b) {
    giveMatrixRank(call, b, true);
}
void convertMatrixRankByBounds(Call& call, Builder& b) {
    giveMatrixRank(call, b, false);
}

/// The root of a symmetric matrix that has no negative eigenvalues: those that rounding made count as 0.
void convertMatrixRoot(Call& call, Builder& b) {
    const Eigenvalues of = symmetricEigenvalues(b, firstMatrices(call));
    const Var root = b.call(Op::Sqrt, {maximum(b, of.values, scalarLike(b, 0, of.values))});
    giveLikeFirst(call, {composed(b, of.vectors, root, of.vectors)});
}

#define LATHE_BOUNDS ", *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor"
#define LATHE_TENSOR_BOUNDS ", *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor"

constexpr auto factorRows = std::to_array<Row>({
    {"aten::linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)", convertLinalgQr, Product},
    {"aten::qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)", convertQr, Product},
    {"aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)", convertGeqrf, Product},
    {"aten::linalg_householder_product(Tensor input, Tensor tau) -> Tensor", convertHouseholderProduct, Product},
    {"aten::orgqr(Tensor self, Tensor input2) -> Tensor", convertHouseholderProduct, Product},
    {"aten::ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor",
     convertOrmqr, Product},
    {"aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
     convertLinalgSvd, Product},
    {"aten::_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, "
     "Tensor S, Tensor Vh)",
     convertLinalgSvdOrValues, Product},
    {"aten::svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)", convertSvd,
     Product},
    {"aten::linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor", convertSingularValues, Product},
    {"aten::linalg_eigh(Tensor self, str UPLO='L') -> (Tensor eigenvalues, Tensor eigenvectors)", convertEigh, Product},
    {"aten::_linalg_eigh(Tensor A, str UPLO='L', bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)",
     convertEighOrValues, Product},
    {"aten::linalg_eigvalsh(Tensor self, str UPLO='L') -> Tensor", convertEigenvalues, Product},
    {"aten::pinverse(Tensor self, float rcond=1e-15) -> Tensor", convertPseudoInverse, Product},
    {"aten::linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor", convertPseudoInverse, Product},
    {"aten::linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor", convertPseudoInverse,
     Product},
    {"aten::linalg_pinv.atol_rtol_float(Tensor self" LATHE_BOUNDS, convertPseudoInverseByBounds, Product},
    {"aten::linalg_pinv.atol_rtol_tensor(Tensor self" LATHE_TENSOR_BOUNDS, convertPseudoInverseByBounds, Product},
    {"aten::linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor", convertMatrixRank, Product},
    {"aten::linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor", convertMatrixRank,
     Product},
    {"aten::linalg_matrix_rank.atol_rtol_float(Tensor self" LATHE_BOUNDS, convertMatrixRankByBounds, Product},
    {"aten::linalg_matrix_rank.atol_rtol_tensor(Tensor input" LATHE_TENSOR_BOUNDS, convertMatrixRankByBounds, Product},
    {"aten::linalg_matrix_sqrth(Tensor self) -> Tensor", convertMatrixRoot, Product},
});

#undef LATHE_TENSOR_BOUNDS
#undef LATHE_BOUNDS

} // namespace

std::span<const Row> rowsOfFactors() {
    return factorRows;
}

} // namespace lathe::frontend::torch
