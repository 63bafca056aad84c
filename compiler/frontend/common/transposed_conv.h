// SPDX-License-Identifier: Apache-2.0
//
// Transposed convolutions with strides, by phases. Zeros between the inputs and a plain convolution give the same, but
// all products with those zeros are for nothing: at a stride of 2 in two dims three quarters of them.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// Whether phases pay: each has a tap, and there are few of them or all have equally many.
bool hasPhases(const Ints& kernel, const Ints& strides);

/// y[s·q + p] = sum over j of x[q − j] · w[s·j + p] in each spatial dim: for each phase p, of as many as the product of the
/// strides, one convolution of x with every s-th tap; where all have equally many taps, one convolution that has the phases
/// as channels. What they give is interleaved, and `size` elements of it from `cut` on are the result; beyond the last
/// tap's reach they are 0.
/// x: [N, C, …]; weights: [M, C / groups, kernel…], not flipped; strides, cut and size: one for each spatial dim; out: the
/// result's type (Void: the operands').
Var convolutionByPhases(Builder& b, Var x, Var weights, const Ints& kernel, const Ints& strides, int64_t groups,
                        const Dims& cut, const Dims& size, DataType out = types::Void);

} // namespace lathe::frontend
