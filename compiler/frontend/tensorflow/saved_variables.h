// SPDX-License-Identifier: Apache-2.0
//
// Which key of a SavedModel's checkpoint belongs to which variable. Names do not tell: two variables may have one. What
// restores the model does: it assigns to each variable what it reads by a key, in nodes of the graph or of a function.
#pragma once

#include "frontend/tensorflow/body.h"
#include "frontend/tensorflow/checkpoint.h"

#include <map>

namespace lathe::frontend::tensorflow {

class SavedVariables {
public:
    /// library: whose functions the graph calls, one of which may restore it. prefix: of the names of the checkpoint's
    /// files.
    SavedVariables(const Body& graph, const Library& library, Functions& functions,
                   std::shared_ptr<const Members> members, std::string prefix, std::shared_ptr<Budget> budget);
    /// What the variable that this node of the graph makes holds in the file.
    Result<model::TensorPtr> initial(const std::string& node);

private:
    struct Source {
        std::string key, slice;
    };
    /// arguments: of a call, the nodes that its operands are results of; null: the body is the graph.
    void trace(const Body& body, const Body& graph, const std::vector<Endpoint>* arguments);

    std::shared_ptr<const Members> members_;
    std::string prefix_;
    std::shared_ptr<Budget> budget_;
    std::map<std::string, Source> sources_;
    std::map<std::string, std::string> names_; // shared names, by node
    std::optional<Result<Checkpoint>> checkpoint_;
};

} // namespace lathe::frontend::tensorflow
