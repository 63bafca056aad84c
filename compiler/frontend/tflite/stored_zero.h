// SPDX-License-Identifier: Apache-2.0
//
// What stands for zero in tensors that are moved as they are stored: of quantized ones the zero point.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend::tflite {

/// A scalar of moved's type: zero as operand i means it. moved: what Movement gives for the operand.
Var storedZero(NodeReader& node, size_t i, Var moved);

} // namespace lathe::frontend::tflite
