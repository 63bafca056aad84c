// SPDX-License-Identifier: GPL-3.0-or-later
//
// The graph coloured by how the compiler stores what its nodes give: in the model's order, or in blocks of channels.
#pragma once

#include "views/models/graph/overlay.h"

namespace lathe::views::models {

/// Of the graph as the last pass over it left it. A node is stored as the binding is that equals its value; where there is
/// none, as the bindings that it became, if they agree. A copy in another order for who needs that does not count.
Overlay layoutOverlay(const inspect::Provenance& provenance, const GroupedGraph* grouped = nullptr);

} // namespace lathe::views::models
