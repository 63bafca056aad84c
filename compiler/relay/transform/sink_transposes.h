// SPDX-License-Identifier: Apache-2.0
//
// Optional: of Transposes keeps those that something needs.
//
// Relay knows one order of axes for convolutions, pools and their like, [n, c, spatial…]. Models in another one
// (channels last) come with a Transpose before and behind each. Here what stands between is written in the order that
// its neighbours have: most operators can be written in any (the operator table's column `orders`), and constants are
// reordered when the artifact is written. A Transpose stays where an order meets one that it cannot become: at
// inputs, at results, at a Reshape that merges dims.
//
//     %2 = transpose(%1) {axes=[0, 2, 3, 1]}         %1: from a convolution
//     %3 = add(%2, %bias)                      =>    %3 = add(%1, %bias')    bias [c] as [c, 1, 1]
//     %4 = transpose(%3) {axes=[0, 3, 1, 2]}         %4: what reads it reads %3
//
// What decides is bytes moved by one run (relay/transform/choose_orders.h): never more than before. Where it is the
// same, what is done to each element of a product's result is done before that is moved, as it is fused with the
// product; all else stays as it was, so also Transposes that a model has of its own. One that moves dims of 1 alone
// becomes a Reshape, one behind another goes. Each Block for itself: nothing moves out of a branch or into a loop.
//
// After common subexpressions: a value that is transposed alike by two is moved once. Before simplify arithmetic,
// which sees chains without Transposes between.
#pragma once

#include "relay/ir.h"

namespace lathe::relay::transform {

/// `exact` (strict numerics): sums keep their sequence, so a product whose rows would have to be summed in another
/// stays as it is.
Module sinkTransposes(const Module& module, bool exact);

} // namespace lathe::relay::transform
