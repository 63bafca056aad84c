// SPDX-License-Identifier: Apache-2.0
//
// Comparisons, logic, bits, and the choice between two tensors.
#include "frontend/tflite/elementwise.h"
#include "frontend/tflite/ops.h"

namespace lathe::frontend::tflite {

namespace {

/// Gives the operator of what the model stores.
void giveStored(NodeReader& node, Builder& b, Op op) {
    const Var x = node.in(0), y = node.in(1);
    node.set(0, b.call(op, {x, y}));
}

} // namespace

void convertEqual(NodeReader& node, Builder& b) {
    giveComparison(node, b, Op::Equal);
}
void convertNotEqual(NodeReader& node, Builder& b) {
    giveComparison(node, b, Op::NotEqual);
}
void convertLess(NodeReader& node, Builder& b) {
    giveComparison(node, b, Op::Less);
}
void convertLessEqual(NodeReader& node, Builder& b) {
    giveComparison(node, b, Op::LessEqual);
}
void convertGreater(NodeReader& node, Builder& b) {
    giveComparison(node, b, Op::Greater);
}
void convertGreaterEqual(NodeReader& node, Builder& b) {
    giveComparison(node, b, Op::GreaterEqual);
}

void convertLogicalAnd(NodeReader& node, Builder& b) {
    giveStored(node, b, Op::LogicalAnd);
}
void convertLogicalOr(NodeReader& node, Builder& b) {
    giveStored(node, b, Op::LogicalOr);
}
void convertLogicalNot(NodeReader& node, Builder& b) {
    node.set(0, b.call(Op::LogicalNot, {node.in(0)}));
}
void convertBitwiseXor(NodeReader& node, Builder& b) {
    giveStored(node, b, Op::BitwiseXor);
}

/// Bits that are shifted by less than nothing stay where they are.
void convertRightShift(NodeReader& node, Builder& b) {
    const Var x = node.in(0), places = node.in(1);
    node.set(0, b.call(Op::RightShift, {x, maximum(b, places, scalarLike(b, 0, places))}));
}

/// A condition of rank 1 chooses whole rows.
void convertSelect(NodeReader& node, Builder& b) {
    Var condition = node.in(0);
    const Var x = node.in(1);
    if (b.failed())
        return;
    if (const int64_t rank = b.rank(x); b.rank(condition) == 1 && rank > 1)
        condition = alongAxis(b, withDims(b, condition, {dim(b, x, 0)}), 0, rank);
    giveChoice(node, b, condition);
}

void convertSelectV2(NodeReader& node, Builder& b) {
    giveChoice(node, b, node.in(0));
}

} // namespace lathe::frontend::tflite
