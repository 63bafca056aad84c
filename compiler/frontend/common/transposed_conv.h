// SPDX-License-Identifier: Apache-2.0
//
// Transposed convolutions with strides, by phases. Zeros between the inputs and a plain convolution give the same, but
// all products with those zeros are for nothing: at a stride of 2 in two dims three quarters of them.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// How the weights lie over the result: an entry of each a spatial dim. All are positive.
struct TransposedWindow {
    Ints kernel, strides, dilations;
};

/// y[s·i + d·k − cut] = sum over i and k of x[i] · w[k] in each spatial dim, `size` elements of it; beyond what the
/// taps reach they are 0.
/// x: [N, C, …], not empty where a stride is more than 1; weights: [M, C / groups, kernel…], not flipped; cut and size:
/// one for each spatial dim; out: the result's type (Void: the operands').
Var transposedConvolution(Builder& b, Var x, Var weights, const TransposedWindow& window, int64_t groups,
                          const Dims& cut, const Dims& size, DataType out = types::Void);

/// Weights [C, M / groups, kernel…], as the gradient of a convolution has them, as [M, C / groups, kernel…].
Var withResultsFirst(Builder& b, Var weights, int64_t groups);

} // namespace lathe::frontend
