// SPDX-License-Identifier: Apache-2.0
//
// Optional: local rules that replace a call by something cheaper with the same value.
//
//   movement   transposes that cancel, compose or move only dims of 1; reshapes of reshapes; identity reshape, broadcast, slice,
//              pad, tile, concat of one
//   types      cast to the same type, cast back from a wider one
//   numbers    x * 1, x / 1, x - 0, x + 0 of integers, x + -0 of floats (-0 + 0 is 0); double negation; relu of relu;
//              powers 1, 2
// Unless `exact` (strict numerics) also what holds over the reals: powers 0.5 and -1, two constant factors or summands in a
// row merged to one.
//
// After common subexpressions: a rule looks at one producer, which is then the same for equal chains. What a rule leaves without
// users is dead code.
#pragma once

#include "relay/ir.h"

namespace lathe::relay::transform {

Module simplifyArithmetic(const Module& module, bool exact);

} // namespace lathe::relay::transform
