// SPDX-License-Identifier: GPL-3.0-or-later
//
// The graph coloured by the element types of what its nodes give.
#pragma once

#include "views/models/graph/overlay.h"

namespace lathe::views::models {

/// Each type has a colour, in the order of their names; a node is of the type of its first output whose type is known. A group
/// whose nodes agree is of their type.
Overlay typeOverlay(const model::ModelGraph& model, const GroupedGraph* grouped = nullptr);

} // namespace lathe::views::models
