// SPDX-License-Identifier: Apache-2.0
//
// Functions of matrices: exponentials, powers, chains of products, and matrices of powers.
#include "frontend/common/iterate.h"
#include "frontend/common/matrices.h"
#include "frontend/common/triangles.h"
#include "frontend/torch/linear_algebra.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

/// Scaling and squaring (N. Higham, "Functions of Matrices", 10.3): of so small a part of x that Taylor's polynomial is
/// exact, squared as often as that was halved.
void convertMatrixExponential(Call& call, Builder& b) {
    constexpr int64_t terms = 18; // enough where no column sums up to more than 1
    const Var x = firstMatrices(call);
    if (call.failed())
        return;
    const int64_t row = b.rank(x) - 2;
    const Var sums = reduce(b, "sum", b.call(Op::Abs, {x}), {row}, true);
    const Var norm = reduce(b, "max", sums, {row + 1}, true), zero = scalarLike(b, 0, norm);
    const Var halvings = b.call(Op::Ceil, {mulBy(b, b.call(Op::Log, {norm}), std::numbers::log2e)});
    // Comparisons of NaN are false, and infinite ones stay what they are.
    const Var isPlain = less(b, norm, scalarLike(b, std::numeric_limits<double>::infinity(), norm));
    const Var times = maximum(b, where(b, isPlain, halvings, zero), zero);
    const Var part = mul(b, x, b.call(Op::Power, {scalarLike(b, 0.5, x), times}));
    const Var identity = identityMatrix(b, dim(b, x, -1), dim(b, x, -1), types::Float64);
    const Var start = expand(b, identity, b.shape(x));
    const Var taylor = repeated(b, {start}, b.scalarInt(terms), [&](Var iteration, const std::vector<Var>& sum) {
        const Var k = cast(b, sub(b, b.scalarInt(terms), iteration), types::Float64);
        return std::vector{add(b, identity, div(b, matmul(b, part, sum[0]), k))};
    })[0];
    if (call.failed())
        return;
    const Var most = maximum(b, reduce(b, "max", times, iotaInts(0, b.rank(times)), false), zero);
    const Var power = repeated(b, {taylor}, cast(b, most, types::Int64), [&](Var iteration, const std::vector<Var>& y) {
        const Var isLeft = less(b, cast(b, iteration, types::Float64), times);
        return std::vector{where(b, isLeft, matmul(b, y[0], y[0]), y[0])};
    })[0];
    giveLikeFirst(call, {power});
}

/// By squares, of the inverse for a negative exponent. Integers stay what they are.
void convertMatrixPower(Call& call, Builder& b) {
    const Var given = call.tensor("self");
    const int64_t n = call.integer("n");
    if (call.failed())
        return;
    const bool isFloat = b.dtype(given).isFloat();
    if (b.rank(given) < 2 || (n < 0 && !isFloat))
        return call.fail(fmt::format("the power {} of {} {}", n, toString(b.dtype(given)), text(b.shape(given))));
    Var factor = isFloat ? cast(b, given, types::Float64) : given;
    factor = n < 0 ? inverted(b, factor) : factor;
    if (call.failed())
        return;
    const Expr size = dim(b, given, -1);
    Var result = expand(b, identityMatrix(b, size, size, b.dtype(factor)), b.shape(factor));
    bool isFirst = true;
    for (auto left = n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n); left > 0; left /= 2) {
        if (left % 2 == 1) {
            result = isFirst ? factor : matmul(b, result, factor);
            isFirst = false;
        }
        if (left > 1)
            factor = matmul(b, factor, factor);
    }
    giveLikeFirst(call, {result});
}

/// From the left to the right; the first may be a row, the last a column.
void convertMultiDot(Call& call, Builder& b) {
    std::vector<Var> all = call.tensors(call.schema.arguments[0].name.c_str());
    if (call.failed())
        return;
    if (all.empty())
        return call.fail("there is nothing to multiply");
    const bool isRow = all.size() > 1 && b.rank(all.front()) == 1, isColumn = all.size() > 1 && b.rank(all.back()) == 1;
    if (isRow)
        all.front() = unsqueeze(b, all.front(), {0});
    if (isColumn)
        all.back() = unsqueeze(b, all.back(), {1});
    Var product = all.front();
    for (size_t i = 1; i < all.size() && !call.failed(); ++i) {
        if (b.rank(product) != 2 || b.rank(all[i]) != 2)
            return call.fail("only the first and the last may be vectors, all others must be matrices");
        product = matmul(b, product, all[i]);
    }
    product = isColumn ? squeeze(b, product, {1}) : product;
    call.give(isRow ? squeeze(b, product, {0}) : product);
}

/// 1, x, x², … along a new last dim.
Var powersOf(Call& call, Builder& b, Var x, const Expr& count) {
    if (call.failed())
        return {};
    if (arith::bounds(count).lower < 0) {
        call.fail(fmt::format("{} powers are asked for", arith::sizeText(count)));
        return {};
    }
    x = b.dtype(x).isFloat() ? x : cast(b, x, types::Int64);
    const int64_t rank = b.rank(x);
    Dims shape = b.shape(x);
    shape.push_back(count);
    if (!mayFill(b, shape))
        return {};
    const Var isFirst = equal(b, iota(b, {count}, 0, types::Int64), b.scalarInt(0));
    CumAttrs attrs;
    attrs.axis = rank;
    attrs.product = true;
    const Var factors = where(b, isFirst, scalarLike(b, 1, x), expand(b, unsqueeze(b, x, {rank}), shape));
    return b.call(Op::CumSum, {factors}, attrs);
}
Expr countOfPowers(Call& call, Builder& b, Var x) {
    return call.failed() ? Expr(0) : call.isNone("N") ? dim(b, x, -1) : call.size("N");
}
void convertLinalgVander(Call& call, Builder& b) {
    const Var x = call.tensor("x");
    if (needRank(b, x, 1))
        call.give(powersOf(call, b, x, countOfPowers(call, b, x)));
}
/// The highest power first, as NumPy has it.
void convertVander(Call& call, Builder& b) {
    const Var x = call.tensor("x");
    if (!needRank(b, x, 1))
        return;
    const Var powers = powersOf(call, b, x, countOfPowers(call, b, x));
    call.give(call.flag("increasing") || call.failed() ? powers : reverse(b, powers, b.rank(powers) - 1));
}

constexpr auto matrixFunctionRows = std::to_array<Row>({
    {"aten::matrix_exp(Tensor self) -> Tensor", convertMatrixExponential, Product},
    {"aten::linalg_matrix_exp(Tensor self) -> Tensor", convertMatrixExponential, Product},
    {"aten::linalg_matrix_power(Tensor self, int n) -> Tensor", convertMatrixPower, Product},
    {"aten::matrix_power(Tensor self, int n) -> Tensor", convertMatrixPower, Product},
    {"aten::linalg_multi_dot(Tensor[] tensors) -> Tensor", convertMultiDot, Product},
    {"aten::chain_matmul(Tensor[] matrices) -> Tensor", convertMultiDot, Product},
    {"aten::linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor", convertLinalgVander, Product},
    {"aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor", convertVander, Product},
});

} // namespace

std::span<const Row> rowsOfMatrixFunctions() {
    return matrixFunctionRows;
}

} // namespace lathe::frontend::torch
