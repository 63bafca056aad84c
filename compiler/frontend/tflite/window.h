// SPDX-License-Identifier: Apache-2.0
//
// What the options of TFLite's convolutions and pools say of their window.
#pragma once

#include "frontend/common/window.h"
#include "frontend/tflite/operands.h"

#include <optional>

namespace lathe::frontend::tflite {

/// The node's strides, dilations and padding, for a window of `kernel` that moves over two dims (height, width) or
/// three (depth first). A fault if they are out of range.
std::optional<WindowAttributes> readWindow(NodeReader& node, Ints kernel);

/// The options of a custom operator that are no map but a struct of 32-bit integers: the first `count` of them, of
/// which the first is a padding. A fault if there are fewer.
std::optional<Ints> readStruct(NodeReader& node, size_t count);

/// The window that such a struct says; a fault if it is out of range.
std::optional<WindowAttributes> windowOfStruct(NodeReader& node, int64_t padding, Ints kernel, Ints strides);

} // namespace lathe::frontend::tflite
