// SPDX-License-Identifier: Apache-2.0
//
// A part of a model's graph as a model of its own: from values that are given to values that are asked for. So a model
// whose first nodes read files or texts is compiled from the first numbers on, whatever its format.
#pragma once

#include "base/result.h"
#include "model/cut.h"
#include "model/model_graph.h"

#include <functional>

namespace lathe::frontend {

/// The type of a value that nothing in the graph declares: result `result` of a node. Of kind Unknown if nobody knows.
using TypeOfResult = std::function<model::ValueType(const model::Node& node, size_t result)>;

/// Leaves of the graph what the cut says, with its faults. A name is a value's, a node's (then its first result is
/// meant), or either with ":0" behind it. Fails for a name that there is none of.
Result<void> cutGraph(model::ModelGraph& model, const model::Cut& cut, const TypeOfResult& typeOf);

/// Inputs that would leave out the nodes for which isRefused holds: what these give to others. Empty if an output of the
/// model is among it, or if there would be many.
std::vector<std::string> inputsBehind(const model::ModelGraph& model,
                                      const std::function<bool(const model::Node&)>& isRefused);

/// Outputs that would leave them out: the model's own that do without them, and what they are given. Empty if nothing is
/// computed for them, or if there would be many.
std::vector<std::string> outputsBefore(const model::ModelGraph& model,
                                       const std::function<bool(const model::Node&)>& isRefused);

} // namespace lathe::frontend
