// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's type promotion: the element type that operands of several types are computed in. Kinds rank bool, integer, float;
// of operands of the highest kind tensors with dims decide, then tensors of rank 0, then numbers.
#pragma once

#include "frontend/torch/call.h"

namespace lathe::frontend::torch {

/// What both types are promoted to; nothing if PyTorch has no promotion of them.
std::optional<DataType> promoteTypes(DataType a, DataType b);

using Operand = std::variant<Var, Scalar>;

/// Whether integers (and bools) stay, or become the default float: as division, sine and the like have them.
enum class Integers : uint8_t { Stay, BecomeFloat };

/// The type that operands are promoted to; a fault if they cannot be.
DataType promotedType(Call& call, const std::vector<Operand>& operands, Integers integers = Integers::Stay);
/// The operands in that type; numbers as tensors of rank 0.
std::vector<Var> promoted(Call& call, const std::vector<Operand>& operands, Integers integers = Integers::Stay);
/// One operand in the type that it is computed in.
Var promotedToFloat(Call& call, Var x);
/// An operand in a type, which it has or is cast to.
Var inType(Builder& b, const Operand& operand, DataType dtype);

} // namespace lathe::frontend::torch
