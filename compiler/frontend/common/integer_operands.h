// SPDX-License-Identifier: Apache-2.0
//
// Parameters that are operands: shapes, sizes, counts, scales. Each is one thing, known or computed while the model runs,
// and converters need not ask which. What dims are made of is read as expressions: numbers, or symbols that the run
// binds. What is computed with stays a tensor, and folds where it is constant. Axes: frontend/common/axis_operands.h.
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

/// Operand i, of any type, as a list of `count` elements: one that is a scalar, or whose length only running tells, is
/// as good if it has as many.
Var listOf(NodeReader& node, size_t i, int64_t count, const std::string& name);
/// Operand i, the shape of result 0. Where only running tells its length, the rank that the model declares says it; a
/// refusal if it declares none.
Var shapeOperand(NodeReader& node, size_t i);
/// A list with an element for each of `rank` dims: those of `values` at `axes`, else `otherwise`.
Var spreadOver(Builder& b, Var values, const Ints& axes, int64_t rank, Var otherwise);
/// The same at axes that are data: int64, from the end if negative.
Var spreadOver(Builder& b, Var values, Var axes, int64_t rank, Var otherwise);

/// Whether integers say no negative number: false, and a fault, if a known one is.
bool areSizes(NodeReader& node, const Dims& sizes, const std::string& name);

/// The shape that operand i holds, of a tensor that is made; nothing after a fault.
std::optional<Dims> shapeToFill(NodeReader& node, size_t i);

} // namespace lathe::frontend
