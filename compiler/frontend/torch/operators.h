// SPDX-License-Identifier: Apache-2.0
//
// The table of PyTorch's operators: their schemas, what converts them, and what they are for. Each file of converters has rows
// of its own; here they are one table, by name.
#pragma once

#include "frontend/torch/call.h"

#include <span>
#include <string_view>
#include <vector>

namespace lathe::frontend::torch {

struct Row {
    std::string_view schema; // as PyTorch writes it
    Convert convert;
    model::Family family;
};

struct Operator {
    Schema schema;
    Convert convert;
    model::Family family;
};

/// Null if there is none. Names are those of torch.export: "aten.add.Tensor".
const Operator* findOperator(std::string_view name);
/// The operator that computes what one that assigns to its first argument ("aten.add_.Tensor") assigns; null if the name is none
/// such, or there is none.
const Operator* findAssigned(std::string_view name);
/// All operators of a name without an overload's, "aten.add", sorted by name.
std::vector<const Operator*> overloadsOf(std::string_view name);
/// The names of all, sorted.
std::vector<std::string_view> operatorNames();

} // namespace lathe::frontend::torch
