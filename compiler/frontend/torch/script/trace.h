// SPDX-License-Identifier: Apache-2.0
//
// What a TorchScript program did while it was evaluated, as the format-neutral graph that people see: a node for each call of an
// operator, in the modules that it was called in, with a graph of its own for each branch and loop body that is left to run.
#pragma once

#include "base/budget.h"
#include "model/model_graph.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lathe::frontend::torch::script {

class Trace {
public:
    Trace() { graphs_.emplace_back(); }

    /// Adds a node to the innermost graph and gives it an id.
    int32_t add(model::Node node);
    /// The last one that was added to the innermost graph.
    model::Node& last() { return graphs_.back().nodes.back(); }
    int32_t nodeCount() const { return nodes_; }
    /// No value is to have this name.
    void reserve(const std::string& name) { ++taken_[name]; }
    /// "conv2d", "conv2d_1": a name that no value has yet.
    std::string freshName(const std::string& wanted);

    // ---- graphs in nodes
    void open() { graphs_.emplace_back(); }
    std::shared_ptr<const model::Graph> close();

    // ---- what turns out not to have happened
    struct Mark {
        int32_t nodes = 0;
        size_t graphs = 0, inInnermost = 0;
    };
    Mark mark() const { return {nodes_, graphs_.size(), graphs_.back().nodes.size()}; }
    void backTo(const Mark& mark);

    /// The outermost graph, with values called otherwise: new name by old name.
    model::Graph finish(const std::map<std::string, std::string>& renamed);

private:
    std::vector<model::Graph> graphs_;
    int32_t nodes_ = 0;
    std::map<std::string, int> taken_; // how often each name was wanted
};

} // namespace lathe::frontend::torch::script
