// SPDX-License-Identifier: Apache-2.0
//
// Systems of linear equations, inverses and determinants, and the triangular factors that they are solved by.
#include "frontend/common/matrices.h"
#include "frontend/common/triangles.h"
#include "frontend/torch/linear_algebra.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

// ---- determinants

void convertDet(Call& call, Builder& b) {
    giveLikeFirst(call, {b.call(Op::Det, {firstMatrices(call)})});
}

/// LAPACK's pivots, which count from 1.
Var pivotsOf(Builder& b, const Elimination& elimination) {
    return asInfo(b, addTo(b, elimination.pivots, 1));
}

void convertDetWithFactors(Call& call, Builder& b) {
    const Var a = firstMatrices(call);
    const Elimination factors = eliminated(b, a);
    giveLikeFirst(call, {b.call(Op::Det, {a}), factors.factors, pivotsOf(b, factors)});
}

void convertSlogdet(Call& call, Builder& b) {
    const Determinant of = determinant(b, eliminated(b, firstMatrices(call)));
    giveLikeFirst(call, {of.sign, of.logarithm});
}

void convertSlogdetWithFactors(Call& call, Builder& b) {
    const Elimination factors = eliminated(b, firstMatrices(call));
    const Determinant of = determinant(b, factors);
    giveLikeFirst(call, {of.sign, of.logarithm, factors.factors, pivotsOf(b, factors)});
}

/// NaN of one that is negative.
void convertLogdet(Call& call, Builder& b) {
    const Determinant of = determinant(b, eliminated(b, firstMatrices(call)));
    const Var isNegative = less(b, of.sign, scalarLike(b, 0, of.sign));
    giveLikeFirst(call, {where(b, isNegative, b.call(Op::Log, {of.sign}), of.logarithm)});
}

// ---- systems

void convertInverse(Call& call, Builder& b) {
    giveLikeFirst(call, {inverted(b, firstMatrices(call))});
}

void convertInverseWithInfo(Call& call, Builder& b) {
    const Var a = firstMatrices(call);
    const Elimination factors = eliminated(b, a);
    if (call.failed())
        return;
    const Var identity = identityMatrix(b, dim(b, a, -1), dim(b, a, -1), types::Float64);
    giveLikeFirst(call, {solvedBy(b, factors, identity), asInfo(b, firstZeroPivot(b, factors))});
}

/// fn of right sides as columns of matrices; a stack of vectors, one a matrix of `a`, as one column each.
Var ofRightSides(Call& call, Builder& b, Var a, const char* name, const std::function<Var(Var)>& fn) {
    const Var given = call.tensor(name);
    if (call.failed())
        return {};
    const Var right = cast(b, given, types::Float64);
    const Dims shape = b.shape(right);
    Dims vectors = b.shape(a);
    vectors.pop_back();
    bool isVector = shape.size() == vectors.size();
    for (size_t i = 0; i < shape.size() && isVector; ++i)
        isVector = arith::provablyEqual(shape[i], vectors[i]);
    if (shape.size() != 1 && !isVector)
        return fn(right);
    const Var result = fn(unsqueeze(b, right, {b.rank(right)}));
    return b.failed() ? Var{} : squeeze(b, result, {b.rank(result) - 1});
}

/// X of A X = B, or of X A = B.
Var solutionOf(Call& call, Builder& b, Var a, const Elimination& factors) {
    if (call.flag("left"))
        return ofRightSides(call, b, a, "B", [&](Var right) { return solvedBy(b, factors, right); });
    return transposed(b, solved(b, transposed(b, a), transposed(b, matricesOf(call, "B"))));
}
void convertSolve(Call& call, Builder& b) {
    const Var a = firstMatrices(call);
    giveLikeFirst(call, {solutionOf(call, b, a, eliminated(b, a))});
}
void convertSolveWithInfo(Call& call, Builder& b) {
    const Var a = firstMatrices(call);
    const Elimination factors = eliminated(b, a);
    giveLikeFirst(call, {solutionOf(call, b, a, factors), asInfo(b, firstZeroPivot(b, factors))});
}
void convertSolveWithFactors(Call& call, Builder& b) {
    const Var a = firstMatrices(call);
    const Elimination factors = eliminated(b, a);
    giveLikeFirst(call, {solutionOf(call, b, a, factors), factors.factors, pivotsOf(b, factors),
                         asInfo(b, firstZeroPivot(b, factors))});
}

/// A that maps tensors to tensors: as matrices of all dims that it takes, and all that it gives.
void convertTensorSolve(Call& call, Builder& b) {
    Var a = call.tensor("self");
    const Var right = call.tensor("other");
    Ints behind = call.integers("dims");
    if (call.failed())
        return;
    const int64_t rank = b.rank(a), given = b.rank(right);
    for (int64_t& axis : behind)
        axis = call.axis(axis, rank);
    if (given > rank)
        return call.fail(fmt::format("right sides have {} dims and the operator {}", given, rank));
    if (!behind.empty()) {
        Ints axes;
        for (int64_t i = 0; i < rank; ++i)
            if (std::ranges::find(behind, i) == behind.end())
                axes.push_back(i);
        axes.insert(axes.end(), behind.begin(), behind.end());
        a = transpose(b, a, axes);
    }
    if (call.failed())
        return;
    const Dims shape = b.shape(a), taken(shape.begin() + given, shape.end());
    const Expr size = product(taken);
    const Var matrix = cast(b, reshape(b, a, {size, size}), types::Float64);
    const Var column = cast(b, reshape(b, right, {size, 1}), types::Float64);
    giveLikeFirst(call, {reshape(b, solved(b, matrix, column), taken)});
}

void convertTensorInverse(Call& call, Builder& b) {
    const Var a = call.tensor("self");
    const int64_t split = call.integer("ind");
    if (call.failed())
        return;
    const Dims shape = b.shape(a);
    if (split < 1 || split > static_cast<int64_t>(shape.size()))
        return call.fail(fmt::format("dims in front of place {} of {}", split, shape.size()));
    const Dims rows(shape.begin(), shape.begin() + split), columns(shape.begin() + split, shape.end());
    Dims result = columns;
    result.insert(result.end(), rows.begin(), rows.end());
    const Var matrix = cast(b, reshape(b, a, {product(rows), product(columns)}), types::Float64);
    giveLikeFirst(call, {reshape(b, inverted(b, matrix), result)});
}

// ---- factors L and U

void checkPivots(Call& call) {
    if (!call.failed() && !call.flag("pivot"))
        call.refuse("elimination without pivots", "let it look for pivots: pivot=True");
}
void convertLuFactor(Call& call, Builder& b) {
    checkPivots(call);
    const Elimination factors = eliminated(b, firstMatrices(call));
    giveLikeFirst(call, {factors.factors, pivotsOf(b, factors)});
}
void convertLuFactorWithInfo(Call& call, Builder& b) {
    checkPivots(call);
    const Elimination factors = eliminated(b, firstMatrices(call));
    giveLikeFirst(call, {factors.factors, pivotsOf(b, factors), asInfo(b, firstZeroPivot(b, factors))});
}

/// P, L and U of P L U, by the order of rows.
std::vector<Var> unpacked(Builder& b, Var factors, Var rows) {
    if (!needRank(b, factors, 2))
        return {Var{}, Var{}, Var{}};
    const int64_t rank = b.rank(factors);
    const Expr height = dim(b, factors, -2), width = dim(b, factors, -1);
    const Expr least = arith::simplify(arith::min(height, width));
    TriluAttrs upper, lower;
    upper.k = 0;
    lower.k = -1;
    lower.upper = false;
    const Var u = b.call(Op::Trilu, {sliceAxis(b, factors, rank - 2, 0, least)}, upper);
    const Var below = b.call(Op::Trilu, {sliceAxis(b, factors, rank - 1, 0, least)}, lower);
    const Var l = add(b, below, identityMatrix(b, height, least, types::Float64));
    // Column i has its 1 in the row that came to be row i.
    const Var isOne = equal(b, iota(b, {height, 1}, 0, types::Int64), unsqueeze(b, rows, {rank - 2}));
    return {cast(b, isOne, types::Float64), l, u};
}
void convertLu(Call& call, Builder& b) {
    checkPivots(call);
    const Elimination factors = eliminated(b, firstMatrices(call));
    giveLikeFirst(call, unpacked(b, factors.factors, factors.rows));
}
void convertLuUnpack(Call& call, Builder& b) {
    const Var factors = firstMatrices(call), pivots = call.tensor("LU_pivots");
    const bool wantsFactors = call.flag("unpack_data"), wantsRows = call.flag("unpack_pivots");
    if (call.failed())
        return;
    std::vector<Var> all = unpacked(b, factors, rowsOfPivots(b, pivots, dim(b, factors, -2)));
    const Var none = full(b, b.scalar(0, types::Float64), {0});
    if (!wantsRows)
        all[0] = none;
    if (!wantsFactors)
        all[1] = all[2] = none;
    giveLikeFirst(call, all);
}

/// X of A X = B by the factors of A, or of X A = B, or of Aᵀ in A's place.
Var solvedByFactors(Call& call, Builder& b, Var factors, Var pivots, Var right, bool left, bool adjoint) {
    if (call.failed())
        return {};
    const Var rows = rowsOfPivots(b, pivots, dim(b, factors, -2));
    Elimination elimination;
    elimination.factors = factors;
    elimination.rows = rows;
    if (left && !adjoint)
        return solvedBy(b, elimination, right);
    const std::vector<Var> all = unpacked(b, factors, rows);
    const Var a = matmul(b, all[0], matmul(b, all[1], all[2]));
    return left ? solved(b, transposed(b, a), right)
                : transposed(b, solved(b, adjoint ? a : transposed(b, a), transposed(b, right)));
}
void convertLinalgLuSolve(Call& call, Builder& b) {
    const Var factors = firstMatrices(call), right = matricesOf(call, "B");
    giveLikeFirst(call, {solvedByFactors(call, b, factors, call.tensor("pivots"), right, call.flag("left"),
                                         call.flag("adjoint"))});
}
void convertLuSolve(Call& call, Builder& b) {
    const Var right = firstMatrices(call), factors = matricesOf(call, "LU_data");
    giveLikeFirst(call, {solvedByFactors(call, b, factors, call.tensor("LU_pivots"), right, true, false)});
}

// ---- triangles

void convertSolveTriangular(Call& call, Builder& b) {
    const Var a = firstMatrices(call), right = matricesOf(call, "B");
    const Triangle kind{.upper = call.flag("upper"), .unit = call.flag("unitriangular")};
    if (call.flag("left"))
        return giveLikeFirst(call, {solvedTriangle(b, a, right, kind)});
    const Triangle turned{.upper = !kind.upper, .unit = kind.unit};
    giveLikeFirst(call, {transposed(b, solvedTriangle(b, transposed(b, a), transposed(b, right), turned))});
}
void convertTriangularSolve(Call& call, Builder& b) {
    const Var right = firstMatrices(call), given = matricesOf(call, "A");
    const bool isTurned = call.flag("transpose");
    const Triangle kind{.upper = call.flag("upper") != isTurned, .unit = call.flag("unitriangular")};
    giveLikeFirst(call, {solvedTriangle(b, isTurned ? transposed(b, given) : given, right, kind), given});
}

Var triangularHalf(Call& call, Builder& b, const CholeskyFactor& factor) {
    return call.flag("upper") ? transposed(b, factor.lower) : factor.lower;
}
/// The lower half, or the upper one, of a symmetric matrix says all.
CholeskyFactor choleskyOf(Call& call, Builder& b) {
    const Var a = firstMatrices(call);
    return choleskyFactor(b, call.flag("upper") ? transposed(b, a) : a);
}
void convertCholesky(Call& call, Builder& b) {
    giveLikeFirst(call, {triangularHalf(call, b, choleskyOf(call, b))});
}
void convertCholeskyWithInfo(Call& call, Builder& b) {
    const CholeskyFactor factor = choleskyOf(call, b);
    giveLikeFirst(call, {triangularHalf(call, b, factor), asInfo(b, factor.failed)});
}
Var solvedByCholesky(Call& call, Builder& b, Var given, Var right) {
    const Var lower = call.flag("upper") ? transposed(b, given) : given;
    const Var middle = solvedTriangle(b, lower, right, {.upper = false, .unit = false});
    return solvedTriangle(b, transposed(b, lower), middle, {.upper = true, .unit = false});
}
void convertCholeskySolve(Call& call, Builder& b) {
    const Var right = firstMatrices(call);
    giveLikeFirst(call, {solvedByCholesky(call, b, matricesOf(call, "input2"), right)});
}
void convertCholeskyInverse(Call& call, Builder& b) {
    const Var given = firstMatrices(call);
    if (call.failed())
        return;
    const Expr size = dim(b, given, -1);
    giveLikeFirst(call, {solvedByCholesky(call, b, given, identityMatrix(b, size, size, types::Float64))});
}

constexpr auto solveRows = std::to_array<Row>({
    {"aten::linalg_det(Tensor A) -> Tensor", convertDet, Product},
    {"aten::det(Tensor self) -> Tensor", convertDet, Product},
    {"aten::_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)", convertDetWithFactors, Product},
    {"aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)", convertSlogdet, Product},
    {"aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)", convertSlogdet, Product},
    {"aten::_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)",
     convertSlogdetWithFactors, Product},
    {"aten::logdet(Tensor self) -> Tensor", convertLogdet, Product},
    {"aten::linalg_inv(Tensor A) -> Tensor", convertInverse, Product},
    {"aten::inverse(Tensor self) -> Tensor", convertInverse, Product},
    {"aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)",
     convertInverseWithInfo, Product},
    {"aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor", convertSolve, Product},
    {"aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor "
     "info)",
     convertSolveWithInfo, Product},
    {"aten::_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor "
     "LU, Tensor pivots, Tensor info)",
     convertSolveWithFactors, Product},
    {"aten::linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor", convertTensorSolve, Product},
    {"aten::linalg_tensorinv(Tensor self, int ind=2) -> Tensor", convertTensorInverse, Product},
    {"aten::linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)", convertLuFactor, Product},
    {"aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, "
     "Tensor info)",
     convertLuFactorWithInfo, Product},
    {"aten::linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)", convertLu, Product},
    {"aten::lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, "
     "Tensor L, Tensor U)",
     convertLuUnpack, Product},
    {"aten::linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor",
     convertLinalgLuSolve, Product},
    {"aten::lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor", convertLuSolve, Product},
    {"aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> "
     "Tensor",
     convertSolveTriangular, Product},
    {"aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) "
     "-> (Tensor solution, Tensor cloned_coefficient)",
     convertTriangularSolve, Product},
    {"aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor", convertCholesky, Product},
    {"aten::cholesky(Tensor self, bool upper=False) -> Tensor", convertCholesky, Product},
    {"aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)",
     convertCholeskyWithInfo, Product},
    {"aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor", convertCholeskySolve, Product},
    {"aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor", convertCholeskyInverse, Product},
});

} // namespace

std::span<const Row> rowsOfSolve() {
    return solveRows;
}

} // namespace lathe::frontend::torch
