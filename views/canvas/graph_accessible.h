// SPDX-License-Identifier: GPL-3.0-or-later
//
// The graph for screen readers: a GraphCanvas paints its boxes itself, so nothing in it is a widget that they could find. Here
// it is a tree whose children are the boxes in sight, each with its name, what it holds, where it stands and what can be done
// with it; the focus is at the box that is chosen.
#pragma once

namespace lathe::views::canvas {

/// From now on QAccessible finds the boxes of each GraphCanvas.
void makeGraphsAccessible();

} // namespace lathe::views::canvas
