// SPDX-License-Identifier: Apache-2.0
//
// Element types, memory formats and layouts by the numbers that programs of torch.export, and scripts, have for them.
#pragma once

#include "base/data_type.h"

#include <cstdint>
#include <optional>
#include <string>

namespace lathe::frontend::torch {

struct ScalarType {
    std::string name; // as PyTorch calls it: "float32", "complex64"
    DataType dtype;   // of complex numbers: of their parts; Void: Lathe has none
    bool isComplex = false;
};

/// Nothing for a number that stands for none.
std::optional<ScalarType> scalarTypeOf(int64_t number);
/// The element type that a script has a number for; nothing for a number that stands for none that Lathe has.
std::optional<DataType> typeOfCode(int64_t number);
/// The reverse.
std::optional<int64_t> codeOfType(DataType dtype);
/// "channels_last"; empty for a number that stands for none.
std::string memoryFormatOf(int64_t number);
/// "strided"; empty for a number that stands for none.
std::string layoutOf(int64_t number);

} // namespace lathe::frontend::torch
