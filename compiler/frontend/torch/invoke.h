// SPDX-License-Identifier: Apache-2.0
//
// Calls an operator of the table: with all its arguments, or with those that a program gives, by name or by place.
#pragma once

#include "frontend/torch/operators.h"

namespace lathe::frontend::torch {

/// The results; none after a fault. arguments: one for each of the schema's.
List invoke(const Operator& op, List arguments, int64_t& randomCalls, Builder& b);

/// An argument that a program gives; by place if it has no name.
struct GivenArgument {
    std::string name;
    TorchValue value;
};
/// One for each of the schema's arguments, with its defaults. A fault if one is missing, or there is none such.
List filledArguments(const Schema& schema, std::vector<GivenArgument> given, Builder& b);

} // namespace lathe::frontend::torch
