// SPDX-License-Identifier: Apache-2.0
//
// Types and numbers of the loop IR in C. A value of 2 or 4 bits lies in a byte, sign- or zero-extended; a float that C99
// has no type for is its bits.
#pragma once

#include "base/data_type.h"

#include <string>

namespace lathe::codegen {

/// Of a variable: "float", "int64_t", "bool", "void *".
std::string cType(DataType type);
/// Of an element in memory, where a bool is a byte.
std::string cStorage(DataType type);
/// Before the name of what points to such elements: "float *", "void **".
std::string cPointer(DataType type, bool isConst = false);
/// "i32" …: the type in which integers of `type` are computed, with 32 or 64 bits.
std::string cWide(DataType type);
/// Its C type, or that of the unsigned one.
std::string cWideType(DataType type, bool isUnsigned);
/// A number of an integer type, index included; of uint64 its bits.
std::string cInteger(int64_t value, DataType type);
/// The shortest number that reads back as this one: "0.1f", "-INFINITY".
std::string cFloat(double value, DataType type);

} // namespace lathe::codegen
