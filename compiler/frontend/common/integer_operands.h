// SPDX-License-Identifier: Apache-2.0
//
// Operands that are shapes, axes, sizes and counts. What is computed while the model runs is read as symbols where an
// operator can do with them.
#pragma once

#include "frontend/common/emit.h"

#include <optional>

namespace lathe::frontend {

/// Elements of operand i in order, known or as symbols; within farAway where they are known. `name` is what a fault
/// calls it.
Dims integersOf(NodeReader& node, size_t i, const std::string& name);
/// The one element of operand i.
Expr integerOf(NodeReader& node, size_t i, const std::string& name);
/// Elements that must be known: a refusal if they are not.
std::optional<Ints> knownIntegers(NodeReader& node, size_t i, const std::string& name);
std::optional<int64_t> knownInteger(NodeReader& node, size_t i, const std::string& name);

/// Whether integers say no negative number: false, and a fault, if a known one is.
bool areSizes(NodeReader& node, const Dims& sizes, const std::string& name);

/// The shape that operand i holds, of a tensor that is made; nothing after a fault.
std::optional<Dims> shapeToFill(NodeReader& node, size_t i);

} // namespace lathe::frontend
