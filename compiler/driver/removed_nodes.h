// SPDX-License-Identifier: Apache-2.0
//
// Which of the model's nodes a module still has, so that the Trace can say at which step each of the others went.
#pragma once

#include "driver/trace.h"

#include <set>
#include <string>

namespace lathe::driver {

std::set<int32_t> allNodes(const model::ModelGraph& graph);
/// Those that stand in a binding.
std::set<int32_t> nodesOf(const relay::Module& module);
/// Nodes that code was made for. Branches and loops are the entry's own; views, and values that the entry knows, are
/// none.
std::set<int32_t> nodesWithCode(const relay::Module& module, const Trace& trace);
/// Model nodes that stood in a binding before a step, but stand nowhere after it.
void noteRemoved(const std::set<int32_t>& before, const std::set<int32_t>& after, const std::string& pass,
                 Trace& trace);

} // namespace lathe::driver
