// SPDX-License-Identifier: Apache-2.0
//
// Deformable convolution (Dai et al., 2017; with a mask: Zhu et al., 2019): each tap of the kernel reads where an operand
// moves it to, between elements. It is composed: the taps' places are sampled (GridSample) into columns, whose product
// with the weights is the result.
#pragma once

#include "frontend/common/window.h"

namespace lathe::frontend {

/// x: [N, C, d1 … dn]; weights: [M, C / groups, kernel…], of known kernel; offset: [N, offsetGroups * taps * n, out…], for
/// each tap of the kernel how far it is moved along each dim, in elements; mask: [N, offsetGroups * taps, out…], what is
/// read is multiplied by, or absent. Outside of x are zeros. at: with given pads. Gives [N, M, out…] in x's compute type.
/// A fault where the operands do not fit.
Var deformableConvolution(Builder& b, Var x, Var weights, Var offset, Var mask, const WindowAttributes& at,
                          int64_t groups, int64_t offsetGroups);

} // namespace lathe::frontend
