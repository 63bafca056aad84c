// SPDX-License-Identifier: Apache-2.0
//
// Where the boxes of a directed graph stand and how its arrows run, in layers from top to bottom and in near-linear time: for
// the window's first paint, and for pictures that are made without a window.
#pragma once

#include <vector>

namespace lathe::graph {

struct LayoutPoint {
    double x = 0, y = 0;
};

struct LayeredGraph {
    struct Box {
        double width = 0, height = 0;
        double closedWidth = 0, closedHeight = 0; // of a group that is open, what it has when it is closed; 0: as above
    };
    struct Arrow {
        int from = 0, to = 0; // in `boxes`
    };
    std::vector<Box> boxes;
    std::vector<Arrow> arrows;
};

struct LayeredLayout {
    std::vector<LayoutPoint> centers;            // of the boxes
    std::vector<std::vector<LayoutPoint>> paths; // of the arrows: cubic Bézier curves, 3k+1 points
    std::vector<int> ranks;                      // of the boxes: the layer that each stands in, from 0
};

/// Longest-path ranks, median sweeps for the order in each rank, then places as near to the mean of neighbours as the order
/// allows. An arrow over several ranks runs through one thin box a rank, as long as there are not too many of these. Cycles
/// are tolerated. Ranks and order do not depend on sizes: a group that opens pushes the others away and mixes nothing up.
/// `columns`: what is much taller than wide goes on in further columns at the right, cut where few arrows cross.
LayeredLayout layeredLayout(const LayeredGraph& graph, bool columns = false);

} // namespace lathe::graph
