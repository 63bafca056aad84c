// SPDX-License-Identifier: Apache-2.0
//
// The matrix product as NumPy and ONNX define it, shared by float and quantized operators.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend::onnx {

/// x · y; vectors are rows on the left and columns on the right.
Var matrixProduct(NodeReader& node, Builder& b, Var x, Var y);

} // namespace lathe::frontend::onnx
