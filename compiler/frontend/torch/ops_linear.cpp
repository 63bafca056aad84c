// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices and vectors. With something added they are rounded once, after the sum.
#include "frontend/common/products.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

void giveProduct(Call& call, Builder& b, const char* left, const char* right) {
    const Var x = call.tensor(left), y = call.tensor(right);
    call.give(matrixProduct(b, x, y));
}
void convertMm(Call& call, Builder& b) {
    giveProduct(call, b, "self", "mat2");
}
void convertMatmul(Call& call, Builder& b) {
    giveProduct(call, b, "self", "other");
}
void convertDot(Call& call, Builder& b) {
    giveProduct(call, b, "self", "tensor");
}
void convertMv(Call& call, Builder& b) {
    giveProduct(call, b, "self", "vec");
}

void convertOuter(Call& call, Builder& b) {
    const std::vector<Var> of = operandsOf(call, {"self", "vec2"});
    if (!call.failed() && (b.rank(of[0]) != 1 || b.rank(of[1]) != 1))
        return call.fail("the operands must be vectors");
    call.give(mul(b, unsqueeze(b, of[0], {1}), unsqueeze(b, of[1], {0})));
}

/// x times a number of its own type.
Var scaled(Builder& b, Var x, const Scalar& factor) {
    if (b.failed() || (factor.isKnown() && factor.number() == 1))
        return x;
    return mul(b, x, toTensor(b, factor, b.dtype(x)));
}

/// Gives beta self + alpha product, where product is of two operands and in the type it is told; self is not looked at
/// where beta is 0.
using ProductOf = std::function<Var(Var x, Var y, DataType sums)>;
void giveAdded(Call& call, Builder& b, const char* left, const char* right, const ProductOf& product) {
    const Var self = call.tensor("self"), x = call.tensor(left), y = call.tensor(right);
    const Scalar alpha = call.scalar("alpha"), beta = call.scalar("beta");
    if (call.failed())
        return;
    const DataType dtype = b.dtype(x), sums = computeType(b, x);
    Var result = scaled(b, product(x, y, sums), alpha);
    if (!b.failed() && !(beta.isKnown() && beta.number() == 0))
        result = add(b, result, scaled(b, cast(b, fitted(b, self, b.shape(result)), sums), beta));
    call.give(cast(b, result, dtype));
}
Var matrices(Builder& b, Var x, Var y, DataType sums) {
    return matmul(b, x, y, false, false, sums);
}
void convertAddmm(Call& call, Builder& b) {
    giveAdded(call, b, "mat1", "mat2", [&](Var x, Var y, DataType sums) { return matrices(b, x, y, sums); });
}
void convertBaddbmm(Call& call, Builder& b) {
    giveAdded(call, b, "batch1", "batch2", [&](Var x, Var y, DataType sums) { return matrices(b, x, y, sums); });
}
/// The products of all pairs are summed.
void convertAddbmm(Call& call, Builder& b) {
    giveAdded(call, b, "batch1", "batch2",
              [&](Var x, Var y, DataType sums) { return reduce(b, "sum", matrices(b, x, y, sums), {0}, false); });
}
void convertAddmv(Call& call, Builder& b) {
    giveAdded(call, b, "mat", "vec", [&](Var x, Var y, DataType sums) {
        return needRank(b, y, 1) ? squeeze(b, matrices(b, x, unsqueeze(b, y, {1}), sums), {1}) : Var{};
    });
}
void convertAddr(Call& call, Builder& b) {
    giveAdded(call, b, "vec1", "vec2", [&](Var x, Var y, DataType sums) {
        return mul(b, unsqueeze(b, cast(b, x, sums), {1}), unsqueeze(b, cast(b, y, sums), {0}));
    });
}

/// Sums of products over the last dims of both, one after the other's dims.
void convertInner(Call& call, Builder& b) {
    const Var x = call.tensor("self"), y = call.tensor("other");
    if (call.failed())
        return;
    if (b.rank(x) == 0 || b.rank(y) == 0)
        return call.give(mul(b, x, y));
    const Dims left = b.shape(x), right = b.shape(y);
    Dims result(left.begin(), left.end() - 1);
    result.insert(result.end(), right.begin(), right.end() - 1);
    const Var rows = reshape(b, x, {product({left.begin(), left.end() - 1}), left.back()});
    const Var columns = reshape(b, y, {product({right.begin(), right.end() - 1}), right.back()});
    call.give(reshape(b, matmul(b, rows, columns, false, true), result));
}

/// x · weightᵀ + bias; weights of one result are a vector.
void convertLinear(Call& call, Builder& b) {
    Var x = call.tensor("input"), weight = call.tensor("weight");
    const Var bias = call.optionalTensor("bias");
    if (!needRank(b, x, 1) || !needRank(b, weight, 1))
        return;
    const DataType dtype = b.dtype(x), sums = bias ? computeType(b, x) : dtype;
    const bool isVector = b.rank(x) == 1, givesOne = b.rank(weight) == 1;
    x = isVector ? unsqueeze(b, x, {0}) : x;
    weight = givesOne ? unsqueeze(b, weight, {0}) : weight;
    Var y = matmul(b, x, weight, false, true, sums);
    if (b.failed())
        return;
    const int64_t rank = b.rank(y);
    y = givesOne ? squeeze(b, y, {rank - 1}) : y;
    y = isVector ? squeeze(b, y, {givesOne ? rank - 2 : 0}) : y;
    call.give(cast(b, bias ? add(b, y, cast(b, bias, sums)) : y, dtype));
}

/// The dims of a product that two tensors are summed over, in the order that they are paired.
struct Contraction {
    Ints summed, kept;

    Contraction(Call& call, Builder& b, Var x, const char* dims) : summed(call.integers(dims)) {
        if (call.failed())
            return;
        for (int64_t& axis : summed)
            axis = call.axis(axis, b.rank(x));
        for (int64_t i = 0; i < b.rank(x); ++i)
            if (std::ranges::find(summed, i) == summed.end())
                kept.push_back(i);
        if (!call.failed() && kept.size() + summed.size() != static_cast<size_t>(b.rank(x)))
            call.fail(fmt::format("argument '{}' names a dim twice", dims));
    }
};

/// Sums of products over pairs of dims. Where one of a pair has one element, the other's are summed.
void convertTensordot(Call& call, Builder& b) {
    Var x = call.tensor("self"), y = call.tensor("other");
    const Contraction left(call, b, x, "dims_self"), right(call, b, y, "dims_other");
    if (!call.failed() && left.summed.size() != right.summed.size())
        call.fail(fmt::format("{} dims are paired with {}", left.summed.size(), right.summed.size()));
    for (size_t i = 0; i < left.summed.size() && !call.failed(); ++i) {
        const int64_t l = left.summed[i], r = right.summed[i];
        const bool isOneLeft = arith::isConst(dim(b, x, l), 1), isOneRight = arith::isConst(dim(b, y, r), 1);
        if (isOneRight && !isOneLeft)
            x = reduce(b, "sum", x, {l}, true);
        else if (isOneLeft && !isOneRight)
            y = reduce(b, "sum", y, {r}, true);
    }
    if (call.failed())
        return;
    Dims inner, rows, columns;
    for (const int64_t axis : left.kept)
        rows.push_back(dim(b, x, axis));
    for (const int64_t axis : left.summed)
        inner.push_back(dim(b, x, axis));
    for (const int64_t axis : right.kept)
        columns.push_back(dim(b, y, axis));
    Ints orderX = left.kept, orderY = right.summed;
    orderX.insert(orderX.end(), left.summed.begin(), left.summed.end());
    orderY.insert(orderY.end(), right.kept.begin(), right.kept.end());
    Dims shapeY = inner;
    shapeY.insert(shapeY.end(), columns.begin(), columns.end());
    const Var ordered = withDims(b, transpose(b, y, orderY), shapeY);
    const Expr count = product(inner);
    const Var sums = matmul(b, reshape(b, transpose(b, x, orderX), {product(rows), count}),
                            reshape(b, ordered, {count, product(columns)}));
    Dims result = rows;
    result.insert(result.end(), columns.begin(), columns.end());
    call.give(reshape(b, sums, result));
}

/// Sums of products along one dim of both, which broadcast.
void convertVecdot(Call& call, Builder& b) {
    call.give(roundedOnce(b, operandsOf(call, {"x", "y"}), [&](const std::vector<Var>& of) {
        const Var products = mul(b, of[0], of[1]);
        const int64_t axis = b.failed() ? 0 : call.axis(call.integer("dim"), b.rank(products));
        return needRank(b, products, 1) ? reduce(b, "sum", products, {axis}, false) : Var{};
    }));
}

/// The sum of a diagonal; of integers in int64.
void convertTrace(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (call.failed())
        return;
    if (b.rank(x) != 2)
        return call.fail(fmt::format("a tensor with {} dims is no matrix", b.rank(x)));
    const Dims shape = b.shape(x);
    const Var sums = isFloat(b, x) ? x : cast(b, x, types::Int64);
    const Var isOn = equal(b, iota(b, shape, 0, types::Int64), iota(b, shape, 1, types::Int64));
    call.give(reduce(b, "sum", where(b, isOn, sums, scalarLike(b, 0, sums)), {0, 1}, false));
}

void convertEinsum(Call& call, Builder& b) {
    EinsumAttrs attrs;
    for (const char letter : call.text("equation"))
        if (!std::isspace(static_cast<unsigned char>(letter)))
            attrs.equation += letter;
    call.give(b.call(Op::Einsum, call.tensors("tensors"), attrs));
}

/// For each output the sum over all pairs of elements of x and y, weighted.
void convertBilinear(Call& call, Builder& b) {
    const Var x = call.tensor("input1"), y = call.tensor("input2"), weight = call.tensor("weight");
    const Var bias = call.optionalTensor("bias");
    if (!needRank(b, x, 1) || !needRank(b, y, 1) || !needRank(b, weight, 3))
        return;
    const Dims rows = b.shape(x), columns = b.shape(y), of = b.shape(weight); // [outputs, of x, of y]
    const Expr count = product({rows.begin(), rows.end() - 1});
    const DataType dtype = b.dtype(x), sums = computeType(b, x);
    // [count, of x] by [of x, outputs · of y], then each row of that by its own row of y.
    const Var inner = reshape(b, transpose(b, weight, {1, 0, 2}), {of[1], arith::simplify(of[0] * of[2])});
    const Var first =
        reshape(b, matmul(b, reshape(b, x, {count, rows.back()}), inner, false, false, sums), {count, of[0], of[2]});
    const Var second = reshape(b, cast(b, y, sums), {count, columns.back(), 1});
    Dims shape(rows.begin(), rows.end() - 1);
    shape.push_back(of[0]);
    const Var sum = reshape(b, matmul(b, first, second), shape);
    call.give(cast(b, bias ? add(b, sum, cast(b, bias, sums)) : sum, dtype));
}

constexpr auto linearRows = std::to_array<Row>({
    {"aten::mm(Tensor self, Tensor mat2) -> Tensor", convertMm, Product},
    {"aten::bmm(Tensor self, Tensor mat2) -> Tensor", convertMm, Product},
    {"aten::matmul(Tensor self, Tensor other) -> Tensor", convertMatmul, Product},
    {"aten::dot(Tensor self, Tensor tensor) -> Tensor", convertDot, Product},
    {"aten::vdot(Tensor self, Tensor other) -> Tensor", convertMatmul, Product},
    {"aten::mv(Tensor self, Tensor vec) -> Tensor", convertMv, Product},
    {"aten::outer(Tensor self, Tensor vec2) -> Tensor", convertOuter, Product},
    {"aten::ger(Tensor self, Tensor vec2) -> Tensor", convertOuter, Product},
    {"aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", convertAddmm,
     Product},
    {"aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     convertBaddbmm, Product},
    {"aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     convertAddbmm, Product},
    {"aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor", convertAddmv,
     Product},
    {"aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", convertAddr,
     Product},
    {"aten::inner(Tensor self, Tensor other) -> Tensor", convertInner, Product},
    {"aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", convertLinear, Product},
    {"aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor", convertTensordot,
     Product},
    {"aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor", convertVecdot, Product},
    {"aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor", convertBilinear,
     Product},
    {"aten::trace(Tensor self) -> Tensor", convertTrace, Reduction},
    {"aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor", convertEinsum, Product},
});

} // namespace

std::span<const Row> rowsOfLinear() {
    return linearRows;
}

} // namespace lathe::frontend::torch
