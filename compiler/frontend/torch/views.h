// SPDX-License-Identifier: Apache-2.0
//
// Which tensors of a program share their elements: a schema says which operators give views, and for those that copy where a
// view would not do, the strides that the program declares tell what they did.
#pragma once

#include "frontend/torch/operators.h"
#include "frontend/torch/program.h"

#include <set>
#include <string>

namespace lathe::frontend::torch {

// ---- what schemas and strides say

/// The argument whose elements results share, or may; nothing if there is none.
std::optional<size_t> viewedArgument(const Schema& schema);
/// Whether an operator gives a view where one has the wanted shape, else a copy.
bool isReshape(const Schema& schema);
/// Whether an operator gives the tensor itself where it is as wanted, else a copy.
bool isConversion(const Schema& schema);
/// Whether a tensor of these sizes and strides has views of other sizes.
bool hasView(const Ints& sizes, const Ints& strides, const Ints& wanted);

// ---- of a program's nodes

enum class Sharing : uint8_t { Never, Always, Perhaps };

/// What a node's results share with the tensor that they may be views of.
struct View {
    Sharing sharing = Sharing::Never;
    size_t self = 0; // argument of the schema that is that tensor
};
View viewOf(const Operator& op, const ProgramNode& node, const ProgramGraph& graph);

/// The operator that a node calls; isAssigned: what it gives is assigned to its first argument. Null if there is none.
struct CalledOperator {
    const Operator* op = nullptr;
    bool isAssigned = false;
};
CalledOperator calledOperator(const ProgramNode& node);

/// The input of a node that is argument `at` of its schema; null if the node leaves it out.
const ProgramArgument* inputAt(const ProgramNode& node, const Schema& schema, size_t at);

/// The graph's inputs that its nodes may assign to.
std::set<std::string> assignedInputs(const Program& program);

} // namespace lathe::frontend::torch
