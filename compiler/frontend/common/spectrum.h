// SPDX-License-Identifier: Apache-2.0
//
// Transforms between signal and spectrum. A complex number is a pair in a last dim of two.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// x, pairs or real numbers in a last dim of one, along an axis. onesided: the half that says all of real numbers.
Var transformed(Builder& b, Var x, int64_t axis, const Expr& length, bool onesided, bool inverse);

/// As many elements along `axis`: what is more is cut, what is missing is 0.
Var fittedTo(Builder& b, Var x, int64_t axis, const Expr& size);

/// The spectrum of the planes that the last two dims of real numbers are, fitted to operand 1, the lengths; of the last dim one
/// half. Var{} after a fault.
Var spectrumOfPlanes(NodeReader& node, Var x);

} // namespace lathe::frontend
