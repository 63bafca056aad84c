// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices.
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

namespace lathe::frontend::tensorflow {
namespace {

void giveProduct(NodeReader& node, Builder& b, const char* first, const char* second) {
    const Var x = node.in(0), y = node.in(1);
    if (!node.needRank(x, 2) || !node.needRank(y, 2))
        return;
    node.set(0, matmul(b, x, y, node.integer(first, 0) != 0, node.integer(second, 0) != 0));
}

} // namespace

void convertMatMul(NodeReader& node, Builder& b) {
    giveProduct(node, b, "transpose_a", "transpose_b");
}
void convertBatchMatMul(NodeReader& node, Builder& b) {
    giveProduct(node, b, "adj_x", "adj_y");
}

void convertEinsum(NodeReader& node, Builder& b) {
    std::vector<Var> operands;
    for (size_t i = 0; i < node.inputs(); ++i)
        operands.push_back(node.in(i));
    relay::EinsumAttrs attrs;
    attrs.equation = node.text("equation", "");
    node.set(0, b.call(Op::Einsum, std::move(operands), attrs));
}

} // namespace lathe::frontend::tensorflow
