// SPDX-License-Identifier: Apache-2.0
//
// Who reads what in one graph, as numbers: names are looked up once, so that groups and pictures of a graph with tens of
// thousands of nodes are made without touching a string.
#pragma once

#include "model/model_graph.h"

#include <string>
#include <vector>

namespace lathe::graph {

/// A value with more readers than this is named inside its readers instead of being drawn as arrows.
inline constexpr int hubReaders = 8;

struct FlowValue {
    enum class Source { Elsewhere, Input, Node, Constant };
    const std::string* name = nullptr;      // in the graph
    const model::ValueType* type = nullptr; // as the graph declares it; null: it does not
    Source source = Source::Elsewhere;      // Elsewhere: a graph around, or nothing
    int from = -1;                          // position of the input, node or initializer; of a constant in a node: -1
    int node = -1;                          // position of the node that writes it, a Constant too; -1: none
    std::vector<int> readers;               // positions of nodes, each once, ascending
    int outputs = 0;                        // outputs of the graph that are this value

    int readerCount() const { return int(readers.size()) + outputs; }
};

/// Nodes, inputs and outputs are meant by their positions in the graph, values by their numbers here.
struct GraphFlow {
    std::vector<FlowValue> values;
    std::vector<std::vector<int>> reads;  // by node: each value once; what nested graphs read of this one too
    std::vector<std::vector<int>> writes; // by node
    std::vector<int> inputs, outputs;     // values
    std::vector<char> hidden;             // by node: a constant that is drawn inside its readers
};

/// Linear in the size of the graph and of the graphs nested in it. The graph must outlive the result.
GraphFlow flowOf(const model::ModelGraph& model, const model::Graph& graph);

} // namespace lathe::graph
