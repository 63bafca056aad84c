// SPDX-License-Identifier: Apache-2.0
//
// How converters read operands and give results whose tensors may be quantized: arithmetic is done with the real numbers that
// the integers stand for, movement with the integers themselves where that is the same. So an operator is written once for both.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend::tflite {

/// Whether operand i is stored as integers that stand for real numbers.
bool isQuantized(NodeReader& node, size_t i);
/// Operand i as real numbers, float32 if it is quantized; else as it is.
Var realOf(NodeReader& node, size_t i);
/// Elements as operand i has them stored, as the real numbers that they stand for; and the reverse, as give() does it.
Var realOf(NodeReader& node, size_t i, Var stored);
Var storedOf(NodeReader& node, size_t i, Var real);
/// Operand i as real numbers, but Var{} if it is absent.
Var optionalReal(NodeReader& node, size_t i);
/// Gives result i of real numbers: rounded to the integers that it is declared to be stored as, half to even and saturated; else
/// as they are.
void give(NodeReader& node, size_t i, Var real);

/// x by the function that the node's attribute fused_activation_function names; x if it names none.
Var activated(NodeReader& node, Var x);

/// Operands whose elements are moved and not computed with: the stored integers, where those of all operands and all results
/// mean the same, else the real numbers.
class Movement {
public:
    /// Operands that are absent are left out of account.
    Movement(NodeReader& node, const std::vector<size_t>& operands, const std::vector<size_t>& results = {0});
    Var in(size_t i);
    void give(size_t i, Var moved);

private:
    NodeReader& node_;
    bool stored_ = true;
};

} // namespace lathe::frontend::tflite
