// SPDX-License-Identifier: Apache-2.0
//
// Order and names of a graph: models come with nodes out of order, cycles, values defined twice and values that nothing
// produces. Works on the format-neutral graph.
#pragma once

#include "model/model_graph.h"

#include <functional>
#include <string>

namespace lathe::frontend {

/// node is null for a fault of the graph itself.
using Report = std::function<void(const model::Node* node, std::string what, std::string hint)>;

/// Faults of a model that are kept: as many as anybody reads.
inline constexpr size_t keptDiagnostics = 1000;

/// Adds a fault of the model that is being read, with its file and its node, up to keptDiagnostics.
void addFault(model::ModelGraph& model, const model::Node* node, Diagnostic fault);
/// What does so. The model outlives it.
Report reportTo(model::ModelGraph& model);

/// Puts producers first and keeps the order where it may stay. False if there is a cycle, which is reported.
bool sortNodes(model::Graph& graph, const Report& report);

/// Reports values defined twice, values read or given as outputs that nothing produces.
void checkNames(const model::Graph& graph, const Report& report);

} // namespace lathe::frontend
