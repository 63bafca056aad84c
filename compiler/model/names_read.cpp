// SPDX-License-Identifier: Apache-2.0
#include "model/names_read.h"

#include <unordered_set>

namespace lathe::model {
namespace {

using Names = std::unordered_set<std::string_view>;

/// Adds what the graph reads but does not define, unless it was seen.
void collectFree(const Graph& graph, Names& seen, std::vector<const std::string*>& result) {
    Names own;
    for (const Value& value : graph.inputs)
        own.insert(value.name);
    for (const Initializer& initializer : graph.initializers)
        own.insert(initializer.name);
    for (const Node& node : graph.nodes)
        own.insert(node.outputs.begin(), node.outputs.end());
    const auto use = [&](const std::string& name) {
        if (!name.empty() && !own.contains(name) && seen.insert(name).second)
            result.push_back(&name);
    };
    for (const Node& node : graph.nodes)
        for (const std::string* name : namesRead(node))
            use(*name);
    for (const Value& value : graph.outputs)
        use(value.name);
}

} // namespace

std::vector<const std::string*> namesRead(const Node& node) {
    Names seen;
    std::vector<const std::string*> names;
    for (const std::string& name : node.inputs)
        if (!name.empty() && seen.insert(name).second)
            names.push_back(&name);
    for (const auto& graph : graphsOf(node))
        collectFree(*graph, seen, names);
    return names;
}

} // namespace lathe::model
