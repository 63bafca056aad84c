// SPDX-License-Identifier: Apache-2.0
//
// The time of a run by the model's own scopes: the whole model, its groups of nodes, and in them the fused functions, whose
// times add up to those of what is around them. A function whose nodes lie in several groups stands in that of the first one
// (homeOf): what is measured is the call, and a division among its nodes would be a guess.
#pragma once

#include "graph/graph_groups.h"
#include "inspect/profile.h"

namespace lathe::inspect {

struct FlameBox {
    std::string name;
    int parent = -1;           // before it among the boxes
    std::vector<int> children; // in the order in which they run first
    int depth = 0;             // of the whole model: 0
    double ms = 0;             // of one run: its children's, added up
    double start = 0;          // ms before it, from the left edge of the whole model
    int calls = 0;             // of kernels, at any depth
    std::vector<int> nodes;    // by id: the group's, or those that the function computes; ascending
    int call = -1;             // of a fused function: in the Trace's calls
};

struct Flame {
    std::vector<FlameBox> boxes; // [0] is the whole model; empty: nothing ran
    double medianMs = 0;         // of whole runs
    int runs = 0;                // that there were

    int depth() const; // how many levels there are
};

/// Of a profile of this model and its outermost graph. Only groups that take time have a box.
Flame flameOf(const inspect::Profile& profile, const graph::GroupedGraph& grouped);

} // namespace lathe::inspect
