// SPDX-License-Identifier: Apache-2.0
//
// A part of a tensor replaced, and the places of parts that are moved to lie within the tensor.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend::tflite {

/// Where parts of these sizes start in a tensor, at most so far behind that they lie within it.
Dims startsWithin(const Dims& starts, const Dims& shape, const Dims& sizes);

/// x with `update` in place of what lies at `starts`, which are moved so that it fits.
Var withUpdate(Builder& b, Var x, Var update, const Dims& starts);

} // namespace lathe::frontend::tflite
