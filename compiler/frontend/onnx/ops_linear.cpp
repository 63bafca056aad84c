// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices.
#include "frontend/common/products.h"
#include "frontend/onnx/ops.h"

#include <cctype>

namespace lathe::frontend::onnx {

using namespace relay;

void convertMatMul(NodeReader& node, Builder& b) {
    const Var x = node.in(0), y = node.in(1);
    node.set(0, matrixProduct(b, x, y));
}

void convertGemm(NodeReader& node, Builder& b) {
    const Var x = node.in(0), y = node.in(1);
    const Var c = node.optional(2);
    if (!node.needRank(x, 2) || !node.needRank(y, 2))
        return;
    if (b.rank(x) != 2 || b.rank(y) != 2)
        return node.fail("the operands must be matrices");
    const double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
    const bool adds = c && beta != 0;
    const DataType dtype = b.dtype(x), sums = adds || alpha != 1 ? computeType(b, x) : dtype;
    Var result = matmul(b, x, y, node.integer("transA", 0) != 0, node.integer("transB", 0) != 0, sums);
    result = mulBy(b, result, alpha);
    if (adds && !b.failed())
        result = add(b, result, mulBy(b, cast(b, fitted(b, c, b.shape(result)), sums), beta));
    node.set(0, cast(b, result, dtype));
}

void convertEinsum(NodeReader& node, Builder& b) {
    EinsumAttrs attrs;
    for (char letter : node.text("equation", ""))
        if (!std::isspace(static_cast<unsigned char>(letter)))
            attrs.equation += letter;
    std::vector<Var> operands;
    for (size_t i = 0; i < node.inputs(); ++i)
        operands.push_back(node.in(i));
    node.set(0, b.call(Op::Einsum, std::move(operands), attrs));
}

void convertDet(NodeReader& node, Builder& b) {
    node.set(0, b.call(Op::Det, {node.in(0)}));
}

} // namespace lathe::frontend::onnx
