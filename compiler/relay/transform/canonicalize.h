// SPDX-License-Identifier: Apache-2.0
//
// Required: one form for what later stages would otherwise have to know in several.
//
//   Dropout, Copy         their operand
//   Range, length known   start + index * step: so that only ranges of computed length define a symbol
//   MatMul of transposes  a transpose of the last two dims becomes the product's flag
//   MatMul, transposed    constant weights are stored as [k, n] (a recipe), so packing and schedules see one orientation
//   products, quantized   a cast that widens constant weights goes; the product reads them narrow and names its own type
//   Conv of a Pad         zeros around its operand are its own padding
//   BatchNorm             with computed parameters: primitive arithmetic
//
// and what relay/transform/canonical_calls.h lists. So one network has one text, whatever format it comes from.
//
// After the algebraic passes, whose patterns look at the model's own operators; before fuse.
#pragma once

#include "relay/ir.h"

namespace lathe::relay::transform {

Module canonicalize(const Module& module);

} // namespace lathe::relay::transform
