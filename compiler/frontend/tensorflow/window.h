// SPDX-License-Identifier: Apache-2.0
//
// What attributes of TensorFlow's convolutions and pools say of their window.
#pragma once

#include "frontend/common/window.h"
#include "frontend/tensorflow/operands.h"

#include <optional>

namespace lathe::frontend::tensorflow {

/// Strides, dilations and padding (SAME, VALID, EXPLICIT) for a window of `kernel`; a fault if they are out of range.
std::optional<WindowAttributes> readWindow(NodeReader& node, Ints kernel);

} // namespace lathe::frontend::tensorflow
