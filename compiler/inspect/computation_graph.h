// SPDX-License-Identifier: Apache-2.0
//
// What a model computes, in the form of a model's graph, so that models of two formats can be held against each other
// (graph/model_diff.h): the operators of the graph IR, in its one form for each thing, as nodes; what only says how elements
// lie (orders of axes, shapes) taken away; constants by their elements, in whatever order they lie.
#pragma once

#include "model/model_graph.h"
#include "relay/ir.h"

#include <memory>
#include <vector>

namespace lathe::inspect {

struct ComputationGraph {
    std::shared_ptr<model::ModelGraph> graph;
    std::vector<std::vector<int32_t>> cameFrom; // by node: those of the model that was imported
};

/// model: that the module was imported from, whose inputs and outputs the graph has. Linear in the bindings and in the bytes of
/// constants, of which it copies none.
Result<ComputationGraph> computationGraph(const model::ModelGraph& model, const relay::Module& imported);

} // namespace lathe::inspect
