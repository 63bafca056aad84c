// SPDX-License-Identifier: Apache-2.0
//
// Branches, loops and calls whose graphs see no names but their own: what they read and give is passed to them.
#pragma once

#include "frontend/common/branches.h"

#include <memory>
#include <vector>

namespace lathe::frontend {

using GraphPtr = std::shared_ptr<const model::Graph>;

/// Operands from `first` on, as they are.
std::vector<Value> passedFrom(NodeReader& node, size_t first);
/// False, and a fault, if a graph does not read as many values as it is passed, or gives fewer than wanted.
bool fitsGraph(NodeReader& node, const GraphPtr& graph, size_t passed, size_t wanted);
void giveValues(NodeReader& node, const std::vector<Value>& values);

/// Gives what the node's graph makes of what it passes.
void callGraph(NodeReader& node, const GraphPtr& graph);
/// Gives what `passed` has become when the condition's graph says no. around: whose names the graphs see; null: none.
void whileLoop(NodeReader& node, Builder& b, const GraphPtr& condition, const GraphPtr& body,
               const std::vector<Value>& passed, const Scope* around);
/// Gives what the graph of the index makes of what is passed; the last one's where there is none.
void switchOver(NodeReader& node, Builder& b, const std::vector<GraphPtr>& branches, Var index,
                const std::vector<Value>& passed, const Scope* around);
/// Gives what one of the two makes of it.
void ifElse(NodeReader& node, Builder& b, const GraphPtr& whenTrue, const GraphPtr& whenFalse, Var condition,
            const std::vector<Value>& passed, const Scope* around);

} // namespace lathe::frontend
