// SPDX-License-Identifier: Apache-2.0
//
// Matrix products over broadcast batch dims. Floats below 32 bits accumulate in float32, integers in the result type.
// A conversion of the result is a stage of its own.
#include "topi/expressions.h"
#include "topi/families.h"

namespace lathe::topi {

namespace {

/// Indices into an operand of rank r >= 2: batch dims by broadcasting, then the matrix.
Indices operandIndices(const TensorPtr& operand, const Shape& result, const std::vector<Var>& axes, const Expr& row,
                       const Expr& column, bool transposed) {
    const Shape batch(operand->shape.begin(), operand->shape.end() - 2);
    const Shape resultBatch(result.begin(), result.end() - 2);
    const std::vector<Var> batchAxes(axes.begin(), axes.end() - 2);
    Indices indices = broadcastIndices(batch, resultBatch, batchAxes);
    indices.push_back(transposed ? column : row);
    indices.push_back(transposed ? row : column);
    return indices;
}

} // namespace

Tensors computeMatMul(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::MatMulAttrs>(call.attrs);
    const TensorPtr &a = call.args[0], &b = call.args[1];
    const relay::TensorType& result = resultTensor(call);
    const DataType accumulate = computeType(result.dtype);
    const size_t rank = result.shape.size();
    const Expr depth = a->shape[a->shape.size() - (attrs.transposeA ? 2 : 1)];
    const TensorPtr sum = te::reduce(
        "matmul", result.shape, te::ReduceKind::Sum, {depth},
        [&](const std::vector<Var>& i, const std::vector<Var>& k) {
            const Expr left = (*a)(operandIndices(a, result.shape, i, i[rank - 2], k[0], attrs.transposeA));
            const Expr right = (*b)(operandIndices(b, result.shape, i, k[0], i[rank - 1], attrs.transposeB));
            return convert(left, accumulate) * convert(right, accumulate);
        },
        call.origin);
    return {converted(sum, result.dtype, "matmul_result", call.origin)};
}

} // namespace lathe::topi
