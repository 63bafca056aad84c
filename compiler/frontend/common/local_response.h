// SPDX-License-Identifier: Apache-2.0
//
// Local response normalization: each element by what its channel's neighbours hold at its place.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// x / (bias + alpha · m)^beta, m the mean of the squares of `before` channels, the own one and `after`; channels
/// beyond the ends count as zeros. x: [N, C, …]; before and after are not negative.
Var localResponse(Builder& b, Var x, int64_t before, int64_t after, double alpha, double bias, double beta);

} // namespace lathe::frontend
