// SPDX-License-Identifier: Apache-2.0
//
// One element of a stored tensor as a C++ number, for every data type; constants and known values go through these.
#pragma once

#include "base/data_type.h"
#include "relay/ir.h"

#include <cstddef>

namespace lathe::relay {

/// The value of a float element, exactly.
double readFloat(const std::byte* element, DataType dtype);
/// The value of an integer or bool element; uint64 as its bit pattern.
int64_t readInt(const std::byte* element, DataType dtype);
/// Rounds half to even; integers are truncated and wrap.
void writeFloat(std::byte* element, DataType dtype, double value);
void writeInt(std::byte* element, DataType dtype, int64_t value);

/// Elements as index constants (integers, bools) or FloatImms; nothing for strings, recipes, uint64 beyond int64, or
/// more than `most` elements.
std::optional<std::vector<Expr>> elementsOf(const Constant& constant, int64_t most);
/// The reverse: a constant from constant elements; null if one is not constant.
ConstantPtr constantFrom(DataType dtype, const std::vector<Expr>& shape, const std::vector<Expr>& elements);
/// A splat of the element at `element`; of one element: an ordinary constant.
ConstantPtr splatOf(DataType dtype, std::vector<int64_t> shape, const std::byte* element);
/// Bytes of all elements: of a splat written out, of a recipe's value.
int64_t bytesOf(const Constant& constant);
/// A copy of all elements, a splat written out. Not for recipes and strings.
std::vector<std::byte> copyElements(const Constant& constant);
/// Dims if all are constants.
std::optional<std::vector<int64_t>> constantShape(const std::vector<Expr>& shape);
/// Whether every element equals `value` (false for recipes and strings).
bool isSplatOf(const Constant& constant, double value);

} // namespace lathe::relay
