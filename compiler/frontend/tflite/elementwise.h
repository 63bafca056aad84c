// SPDX-License-Identifier: Apache-2.0
//
// What converters of one element's operators have in common: operands as real numbers, a function of them that rounds
// once, and the result as it is declared.
#pragma once

#include "frontend/common/arithmetic.h"
#include "frontend/tflite/operands.h"

#include <functional>
#include <optional>

namespace lathe::frontend::tflite {

/// Gives result 0: fn of operand 0.
void giveMapped(NodeReader& node, Builder& b, const std::function<Var(Var)>& fn);
void giveMapped(NodeReader& node, Builder& b, Op op);
/// Gives result 0: fn of operands 0 and 1, which broadcast.
void giveCombined(NodeReader& node, Builder& b, const std::function<Var(Var, Var)>& fn);
void giveCombined(NodeReader& node, Builder& b, Op op);

/// Gives result 0: operand 0 held against operand 1.
void giveComparison(NodeReader& node, Builder& b, Op op);
/// Gives result 0: operand 1 where the condition holds, else operand 2.
void giveChoice(NodeReader& node, Builder& b, Var condition);

/// The element type that result 0 is declared with; a fault if it is no tensor's.
std::optional<DataType> resultType(NodeReader& node);
/// Gives result 0: the elements of operand 0, as the model stores them, in the result's type.
void giveCast(NodeReader& node, Builder& b);

} // namespace lathe::frontend::tflite
