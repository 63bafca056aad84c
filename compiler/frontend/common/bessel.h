// SPDX-License-Identifier: Apache-2.0
//
// Modified Bessel functions of the first kind, order 0 and 1, which grow as the exponential function does. They compute in
// float64 and give their operand's type.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

enum class BesselOrder { Zero, One };

Var besselI(Builder& b, Var x, BesselOrder order);
/// The same divided by exp(|x|), which does not overflow.
Var scaledBesselI(Builder& b, Var x, BesselOrder order);

} // namespace lathe::frontend
