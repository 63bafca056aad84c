// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms as PyTorch asks for them. The transform itself divides by its length on the way back; what scale
// is wanted instead is put right by a factor.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend::torch {

enum class Scaling : uint8_t { None, ByRoot, ByLength }; // as PyTorch numbers them
enum class Way : uint8_t { Forward, Back };

/// A transform along an axis of numbers that have their one or two parts in a last dim, in length `length`: what is
/// behind it is cut off, what is missing is 0. half: of the spectrum of a real signal, forward or back.
Var transformed(Builder& b, Var parts, int64_t axis, const Expr& length, Way way, bool half, Scaling scaling);

} // namespace lathe::frontend::torch
