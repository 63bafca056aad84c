// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace lathe::frontend::torch::script {
namespace {

void rename(model::Graph& graph, const std::map<std::string, std::string>& renamed) {
    const auto renameAll = [&](std::vector<std::string>& names) {
        for (std::string& name : names)
            if (const auto found = renamed.find(name); found != renamed.end())
                name = found->second;
    };
    for (model::Node& node : graph.nodes) {
        renameAll(node.inputs);
        renameAll(node.outputs);
        if (!node.outputs.empty())
            node.name = node.outputs.front();
        for (model::Attribute& attribute : node.attributes)
            if (auto* inner = std::get_if<std::shared_ptr<const model::Graph>>(&attribute.value)) {
                model::Graph own = **inner;
                rename(own, renamed);
                *inner = std::make_shared<const model::Graph>(std::move(own));
            }
    }
}

} // namespace

int32_t Trace::add(model::Node node) {
    node.id = nodes_++;
    graphs_.back().nodes.push_back(std::move(node));
    return nodes_ - 1;
}

std::string Trace::freshName(const std::string& wanted) {
    const int before = taken_[wanted]++;
    if (before == 0)
        return wanted;
    std::string name = fmt::format("{}_{}", wanted, before);
    return taken_.contains(name) ? freshName(name) : (taken_[name] = 1, name);
}

std::shared_ptr<const model::Graph> Trace::close() {
    auto closed = std::make_shared<const model::Graph>(std::move(graphs_.back()));
    graphs_.pop_back();
    return closed;
}

void Trace::backTo(const Mark& mark) {
    graphs_.resize(mark.graphs);
    graphs_.back().nodes.resize(mark.inInnermost);
    nodes_ = mark.nodes;
}

model::Graph Trace::finish(const std::map<std::string, std::string>& renamed) {
    for (size_t i = 1; i < graphs_.size(); ++i) // blocks that were begun when it ended
        std::ranges::move(graphs_[i].nodes, std::back_inserter(graphs_.front().nodes));
    graphs_.resize(1);
    if (!renamed.empty())
        rename(graphs_.front(), renamed);
    return std::move(graphs_.front());
}

} // namespace lathe::frontend::torch::script
