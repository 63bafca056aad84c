// SPDX-License-Identifier: Apache-2.0
//
// A graph, or a SavedModel's, to a ModelGraph: where it begins and ends, and what lies between.
#pragma once

#include "base/budget.h"
#include "frontend/common/members.h"
#include "model/model_graph.h"

#include <memory>
#include <string>

namespace tensorflow {
class GraphDef;
class MetaGraphDef;
} // namespace tensorflow

namespace lathe::frontend::tensorflow {

/// What lies beside a graph.
struct Beside {
    std::shared_ptr<const Members> members = nullptr; // null: nothing
    std::string variables = {};                       // what the names of the checkpoint's files begin with
};

/// Inputs are its placeholders, as far as they are needed; outputs, which no such file declares, the results that
/// nothing reads, and those that are asked for: names that are none of the graph's are passed over. Faults are among the
/// diagnostics.
std::shared_ptr<model::ModelGraph> readGraph(std::shared_ptr<const ::tensorflow::GraphDef> graph, const Beside& beside,
                                             const std::string& file, const std::vector<std::string>& asked,
                                             const std::shared_ptr<Budget>& budget);

/// Whether the graph has signatures that people call.
bool hasSignatures(const ::tensorflow::MetaGraphDef& graph);
/// Inputs and outputs are those of a signature, by its words for them, sorted. Empty: the only one, else
/// `serving_default`. asked: results of the graph beside those of the signature.
std::shared_ptr<model::ModelGraph> readSaved(std::shared_ptr<const ::tensorflow::MetaGraphDef> graph,
                                             const Beside& beside, const std::string& file,
                                             const std::string& signature, const std::vector<std::string>& asked,
                                             const std::shared_ptr<Budget>& budget);

} // namespace lathe::frontend::tensorflow
