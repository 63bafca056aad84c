// SPDX-License-Identifier: Apache-2.0
//
// Nodes are found by the Spans of bindings: what no Span names any more was taken away.
#include "driver/removed_nodes.h"

#include "relay/visit.h"

namespace lathe::driver {

using relay::Module;

std::set<int32_t> nodesOf(const Module& module) {
    std::set<int32_t> nodes;
    relay::visitBindings(module, [&](const relay::Binding& binding) {
        if (binding.as<relay::MakeTuple>()) // computes nothing; that of the results has the Spans of all
            return;
        const auto& ids = module.spans->ids(binding.span);
        nodes.insert(ids.begin(), ids.end());
    });
    return nodes;
}

void noteRemoved(const std::set<int32_t>& before, const std::set<int32_t>& after, const std::string& pass,
                 Trace& trace) {
    for (int32_t node : before)
        if (!after.contains(node))
            trace.removed.push_back({node, pass});
}

std::set<int32_t> allNodes(const model::ModelGraph& graph) {
    std::set<int32_t> nodes;
    for (const model::Node* node : graph.nodes)
        if (node)
            nodes.insert(node->id);
    return nodes;
}

std::set<int32_t> nodesWithCode(const Module& module, const Trace& trace) {
    std::set<int32_t> code;
    const auto add = [&](model::Span span) {
        const auto& ids = module.spans->ids(span);
        code.insert(ids.begin(), ids.end());
    };
    for (const CallRecord& call : trace.calls)
        for (const model::Span span : call.origins)
            add(span);
    relay::visitBindings(module, [&](const relay::Binding& binding) {
        if (!relay::blocksOf(binding.rhs).empty())
            add(binding.span);
    });
    return code;
}

} // namespace lathe::driver
