// SPDX-License-Identifier: Apache-2.0
//
// The end of every import that reads a graph of nodes: sizes that are asked for, types of the inputs, the walk over the nodes,
// and all reasons why a model is refused, each with what to do.
#pragma once

#include "frontend/common/conversion.h"
#include "frontend/common/dialect.h"
#include "frontend/frontend.h"

#include <functional>

namespace lathe::frontend {

/// Begins to convert the graph into the module, by the builder.
using BeginConversion =
    std::function<std::unique_ptr<Conversion>(model::ModelGraph& graph, relay::Module& module, Builder& builder)>;

/// The graph's Module, or why there is none. Faults that the reader found (graph->diagnostics) are among the reasons.
Imported convertGraph(std::shared_ptr<model::ModelGraph> graph, const BeginConversion& begin,
                      relay::Evaluator* evaluator, const Options& options);
/// By a walk over nodes of that dialect.
Imported convertGraph(std::shared_ptr<model::ModelGraph> graph, Dialect& dialect, relay::Evaluator* evaluator,
                      const Options& options);

/// Of a file that cannot be read as a model of its format at all.
Imported unreadable(Diagnostic reason, const std::string& file);

} // namespace lathe::frontend
