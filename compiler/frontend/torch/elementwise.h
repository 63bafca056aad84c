// SPDX-License-Identifier: Apache-2.0
//
// What converters of one element's operators have in common: operands in the type that PyTorch promotes them to, a
// function of them that rounds once, the result in that type.
#pragma once

#include "frontend/torch/promotion.h"

#include <functional>

namespace lathe::frontend::torch {

/// An argument that is a tensor, or a number in its place.
Operand operandOf(Call& call, const char* name);
/// Arguments in the type that they are promoted to.
std::vector<Var> operandsOf(Call& call, std::initializer_list<const char*> names, Integers integers = Integers::Stay);

/// fn of operands of one type, in float32 if that is a narrower float; what comes out in their type, or as it is if it
/// is of another than was computed in.
using Combination = std::function<Var(const std::vector<Var>&)>;
Var roundedOnce(Builder& b, const std::vector<Var>& operands, const Combination& fn);

/// x as a condition: whether it is not 0.
Var asBool(Builder& b, Var x);
bool isBool(Builder& b, Var x);
bool isFloat(Builder& b, Var x);

/// Gives fn of argument "self", in its own type, or as a float.
using Mapping = std::function<Var(Var)>;
void giveMapped(Call& call, const Mapping& fn);
void giveFloat(Call& call, const Mapping& fn);

} // namespace lathe::frontend::torch
