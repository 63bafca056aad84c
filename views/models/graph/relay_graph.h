// SPDX-License-Identifier: GPL-3.0-or-later
//
// A module of the graph IR in the form of a model's graph, so that whatever draws, groups, searches or compares models does the
// same with what passes made of one: bindings are nodes, Vars their names, and what stands in a fused function has the
// function as its scope. Nothing is drawn here.
#pragma once

#include "model/model_graph.h"
#include "relay/ir.h"

#include <string>
#include <vector>

namespace lathe::views::models {

struct RelayGraph {
    model::ModelGraphPtr graph;                  // nodes are called "%12", their operators as the text calls them
    std::vector<std::vector<int>> cameFrom;      // by node: the nodes of the imported model, ascending
    std::vector<const relay::Binding*> bindings; // by node; of a function that several calls share, of each call
};

/// One function of the module, "main" for an empty name, with the fused functions that it calls in the place of the calls;
/// calls of others are nodes. Without nodes where the module has no such function. Constants have their types and hashes,
/// a single number stands there itself. Linear in the bindings; copies no tensor.
RelayGraph graphOf(const relay::Module& module, const std::string& function);

} // namespace lathe::views::models
