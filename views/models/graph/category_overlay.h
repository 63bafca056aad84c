// SPDX-License-Identifier: GPL-3.0-or-later
//
// Words as colours: what overlays share whose nodes are of one kind or another, instead of having a figure.
#pragma once

#include "views/models/graph/overlay.h"

namespace lathe::views::models {

/// Each text among the nodes gets a colour, in the order of the texts; nodes without one have none. A group whose nodes agree
/// is of their kind, the hint of one whose nodes do not lists them.
void colourByText(Overlay& overlay, const GroupedGraph* grouped);

} // namespace lathe::views::models
