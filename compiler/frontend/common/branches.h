// SPDX-License-Identifier: Apache-2.0
//
// Graphs that a node chooses between, or runs over and over, as the Builder has them: over tensors.
#pragma once

#include "frontend/common/emit.h"

#include <functional>
#include <vector>

namespace lathe::frontend {

Value tensorValue(Var var);
bool isTensor(const Value& value);
/// Vars of values; a fault where one is no tensor.
std::vector<Var> tensorsOf(NodeReader& node, const std::vector<Value>& values);

/// Runs a branch. Gives its values.
using Branch = std::function<std::vector<Value>()>;

/// Vars of the values that a branch gives.
using VarsOf = std::function<std::vector<Var>(const std::vector<Value>&)>;

/// The first `wanted` values of the branch that the condition picks: of that alone where it is known, else of one that
/// is taken while the model runs. Nothing after a fault. varsOf: what leaves a branch that is taken so; empty: tensors alone.
std::vector<Value> chosen(NodeReader& node, Var condition, size_t wanted, const Branch& whenTrue,
                          const Branch& whenFalse, const VarsOf& varsOf = {});

} // namespace lathe::frontend
