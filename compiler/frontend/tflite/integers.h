// SPDX-License-Identifier: Apache-2.0
//
// Results that are integers.
#pragma once

#include "frontend/common/integer_operands.h"
#include <string>

namespace lathe::frontend::tflite {

/// int64 where an attribute says so, else int32, which is the default.
DataType integerType(NodeReader& node, const std::string& attribute);
/// Gives result i in the integer type that is declared for it; int32 if none is.
void giveIntegers(NodeReader& node, size_t i, Var integers);

} // namespace lathe::frontend::tflite
