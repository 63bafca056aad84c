// SPDX-License-Identifier: Apache-2.0
//
// One spelling of calls that can be written in several ways, whatever format a model comes from:
//
//   x + c, x * c       the constant behind the other operand
//   constants          of operators with two operands: no dims of 1 in front, which broadcasting adds by itself
//   maximum(x, 0)      relu
//   AvgPool            nothing of padding where there is none
//   Resize, nearest    by whole factors: of the ways to say so, each element stands where index / factor leads to it;
//                      so are a Reshape and a Tile that repeat the elements of a spatial axis
//   Reshape            none between a value and one of its own shape
//
// So equal networks have equal kernels, and a rule that looks at calls has one form to look for. A part of "canonical
// forms" (relay/transform/canonicalize.h).
#pragma once

#include "relay/ir.h"

namespace lathe::relay::transform {

/// What stands in place of the call; the binding itself where it is written so already. Nothing where `rewriter` says
/// which value it equals.
std::vector<BindingPtr> respelled(const BindingPtr& binding, const OpCall& call, Rewriter& rewriter, const Index& index,
                                  Module& module);

} // namespace lathe::relay::transform
