// SPDX-License-Identifier: Apache-2.0
//
// Choose layouts: constant weights of products and convolutions are stored in panels of as many output columns (channels)
// as a register tile is wide, the reduction inside: [N/b, K, b], [O/b, I, k…, b]. Then the innermost step of the kernel
// reads the weights as one vector after the other, whatever the layout of the activations.
//
// Why here: after the last pass that rewrites weights, before the last folding of constants (the packing is a recipe).
// A weight with fewer columns than half a vector stays as it is. So does one whose columns no vector divides, if its result
// is stored as the model has it (all products, convolutions whose result is not in blocks): the plain variant always exists.
#pragma once

#include "base/target.h"
#include "relay/ir.h"

namespace lathe::lower {

relay::Module chooseLayouts(const relay::Module& module, const Target& target);

} // namespace lathe::lower
