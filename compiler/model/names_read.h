// SPDX-License-Identifier: Apache-2.0
//
// What a node reads: of the graphs nested in it too, which see the names of the graphs around them.
#pragma once

#include "model/model_graph.h"

#include <string>
#include <vector>

namespace lathe::model {

/// The node's inputs, then what graphs nested in it, at any depth, read or give and do not define: each name once, none empty.
/// They stand in the node. The depth is bounded by whoever made the graph (limits::blockNesting).
std::vector<const std::string*> namesRead(const Node& node);

} // namespace lathe::model
