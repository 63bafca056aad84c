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

/// Of vectors of three numbers.
void convertCross(NodeReader& node, Builder& b) {
    const Var x = node.in(0), y = node.in(1);
    if (!node.needRank(x, 1) || !node.needRank(y, 1))
        return;
    const int64_t last = b.rank(x) - 1;
    const auto turned = [&](Var v, int64_t by) { // each number's place taken by a later one's
        return concat(b, {sliceAxis(b, v, last, by, 3 - by), sliceAxis(b, v, last, 0, by)}, last);
    };
    Dims shape = b.shape(x);
    shape.back() = 3;
    const Var left = withDims(b, x, shape), right = withDims(b, y, shape);
    node.set(0, sub(b, mul(b, turned(left, 1), turned(right, 2)), mul(b, turned(left, 2), turned(right, 1))));
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
