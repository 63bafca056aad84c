// SPDX-License-Identifier: Apache-2.0
//
// Kahn's algorithm with the file's order as priority; name checks in one walk over the nested graphs.
#include "frontend/common/topology.h"

#include "model/names_read.h"

#include <fmt/format.h>

#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace lathe::frontend {
namespace {

using model::Graph;
using model::Node;
using NameSet = std::unordered_set<std::string>;

/// The names of a graph so far; those of the graphs around it are visible.
struct Names {
    const Names* outer = nullptr;
    NameSet defined;
    bool visible(const std::string& name) const {
        for (const Names* names = this; names; names = names->outer)
            if (names->defined.contains(name))
                return true;
        return false;
    }
};

void checkNames(const Graph& graph, const Names* outer, const Report& report) {
    Names names{outer, {}};
    for (const model::Value& value : graph.inputs)
        if (!names.defined.insert(value.name).second)
            report(nullptr, fmt::format("input '{}' is declared twice", value.name), "rename one of them");
    for (const model::Initializer& initializer : graph.initializers)
        if (!names.defined.insert(initializer.name).second)
            report(nullptr, fmt::format("initializer '{}' is defined twice", initializer.name), "rename one of them");
    for (const Node& node : graph.nodes) {
        for (const std::string& name : node.inputs)
            if (!name.empty() && !names.visible(name))
                report(&node, fmt::format("the node reads '{}', which nothing produces", name),
                       "the model is incomplete; export it again");
        for (const auto& inner : model::graphsOf(node))
            checkNames(*inner, &names, report);
        for (const std::string& name : node.outputs)
            if (!name.empty() && !names.defined.insert(name).second)
                report(&node, fmt::format("value '{}' is produced twice", name), "rename one of them");
    }
    for (const model::Value& value : graph.outputs)
        if (!names.visible(value.name))
            report(nullptr, fmt::format("nothing produces the output '{}' of graph '{}'", value.name, graph.name),
                   "the model is incomplete; export it again");
}

} // namespace

void addFault(model::ModelGraph& model, const model::Node* node, Diagnostic fault) {
    if (model.diagnostics.size() >= keptDiagnostics)
        return;
    fault.file = model.file;
    if (node) {
        fault.node = displayName(*node);
        fault.op = operatorName(*node);
        fault.nodeId = node->id;
    }
    model.diagnostics.push_back(std::move(fault));
}

Report reportTo(model::ModelGraph& model) {
    return [&model](const model::Node* node, std::string what, std::string hint) {
        addFault(model, node, error(std::move(what), std::move(hint)));
    };
}

bool sortNodes(Graph& graph, const Report& report) {
    const size_t count = graph.nodes.size();
    std::unordered_map<std::string, size_t> producer;
    for (size_t i = 0; i < count; ++i)
        for (const std::string& name : graph.nodes[i].outputs)
            if (!name.empty())
                producer.emplace(name, i);
    std::vector<std::vector<size_t>> readers(count);
    std::vector<size_t> waiting(count, 0);
    for (size_t i = 0; i < count; ++i) {
        for (const std::string* name : namesRead(graph.nodes[i])) {
            const auto found = producer.find(*name);
            if (found == producer.end())
                continue;
            readers[found->second].push_back(i);
            ++waiting[i];
        }
    }
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < count; ++i)
        if (waiting[i] == 0)
            ready.push(i);
    std::vector<Node> sorted;
    sorted.reserve(count);
    std::vector<bool> done(count, false);
    while (!ready.empty()) {
        const size_t at = ready.top();
        ready.pop();
        done[at] = true;
        for (size_t reader : readers[at])
            if (--waiting[reader] == 0)
                ready.push(reader);
        sorted.push_back(graph.nodes[at]);
    }
    if (sorted.size() == count) {
        graph.nodes = std::move(sorted);
        return true;
    }
    // Walking back along unfinished producers must enter the cycle within `count` steps.
    size_t at = 0;
    while (done[at])
        ++at;
    for (size_t step = 0; step < count; ++step) {
        for (const std::string* name : namesRead(graph.nodes[at])) {
            const auto found = producer.find(*name);
            if (found != producer.end() && !done[found->second]) {
                at = found->second;
                break;
            }
        }
    }
    report(&graph.nodes[at], "the node depends on its own result: the graph has a cycle",
           "a model must be free of cycles; repeat work with Loop or Scan");
    return false;
}

void checkNames(const Graph& graph, const Report& report) {
    checkNames(graph, nullptr, report);
}

} // namespace lathe::frontend
