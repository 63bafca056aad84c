// SPDX-License-Identifier: Apache-2.0
//
// Operators that are a pair link the nodes that they came from. Each node has the partner that it is linked to most; others that
// are linked to one of these too stand beside it, as a Relu of its own does beside a convolution that has one.
#include "inspect/computation_diff.h"

#include "inspect/computation_graph.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>

namespace lathe::inspect {
namespace {

using graph::ModelDiff;
using graph::NodeChange;
using graph::ValueChange;

/// What a node is known by weighs more than what is done beside it.
constexpr int weightOfWeights = 100;

struct Link {
    int weight = 0;
    std::vector<std::string> changes;
};

/// One of the two models.
struct Side {
    const model::ModelGraph& model;
    ComputationGraph computed;
    std::set<std::string_view> constants = {};              // names in `computed`
    std::map<int32_t, std::vector<std::string>> alone = {}; // by node: operators that are no pair
    std::map<int32_t, int32_t> partner = {};

    const std::vector<int32_t>& cameFrom(const model::Node& operation) const {
        return computed.cameFrom[static_cast<size_t>(operation.id)];
    }
    void addAlone(const model::Node& operation) {
        for (const int32_t node : cameFrom(operation))
            alone[node].push_back(operation.op);
    }
    bool readsConstants(const model::Node& operation) const {
        return std::ranges::any_of(operation.inputs, [&](const std::string& name) { return constants.contains(name); });
    }
    /// Whether it computes anything that is spoken of.
    bool computes(int32_t node) const { return alone.contains(node) || partner.contains(node); }
};

std::set<std::string_view> constantsOf(const ComputationGraph& computed) {
    std::set<std::string_view> names;
    for (const model::Initializer& initializer : computed.graph->graph->initializers)
        names.insert(initializer.name);
    return names;
}

class NodePairs {
public:
    NodePairs(const ImportedModel& before, const ImportedModel& after, ComputationGraph a, ComputationGraph b)
        : before_{*before.graph, std::move(a)}, after_{*after.graph, std::move(b)} {
        before_.constants = constantsOf(before_.computed); // names in the graph, which is shared and does not move
        after_.constants = constantsOf(after_.computed);
    }

    ModelDiff make() {
        const ModelDiff operations =
            graph::diffModels(*before_.computed.graph, *after_.computed.graph, graph::NodeNames::Labels);
        for (const NodeChange& change : operations.nodes)
            if (!change.after)
                before_.addAlone(*change.before);
            else if (!change.before)
                after_.addAlone(*change.after);
            else
                link(*change.before, *change.after, change.changes);
        for (const auto& [from, to] : operations.equal)
            link(*from, *to, {});
        choosePartners();
        ModelDiff diff;
        addValues(before_.model.graph->inputs, after_.model.graph->inputs, false, diff);
        addValues(before_.model.graph->outputs, after_.model.graph->outputs, true, diff);
        addNodes(diff);
        return diff;
    }

private:
    void link(const model::Node& from, const model::Node& to, const std::vector<std::string>& changes) {
        const int weight = before_.readsConstants(from) ? weightOfWeights : 1;
        for (const int32_t a : before_.cameFrom(from))
            for (const int32_t b : after_.cameFrom(to)) {
                Link& one = links_[{a, b}];
                one.weight += weight;
                for (const std::string& change : changes)
                    one.changes.push_back(fmt::format("{}: {}", to.op, change));
            }
    }

    void choosePartners() {
        std::vector<std::pair<int, std::pair<int32_t, int32_t>>> byWeight;
        for (const auto& [nodes, one] : links_)
            byWeight.emplace_back(-one.weight, nodes);
        std::ranges::sort(byWeight);
        for (const auto& [weight, nodes] : byWeight) // first those that have none
            if (!before_.partner.contains(nodes.first) && !after_.partner.contains(nodes.second)) {
                before_.partner[nodes.first] = nodes.second;
                after_.partner[nodes.second] = nodes.first;
                pairs_.insert({nodes.second, nodes.first});
            }
        for (const auto& [weight, nodes] : byWeight) {
            const auto& [a, b] = nodes;
            if (before_.partner.try_emplace(a, b).second)
                pairs_.insert({b, a});
            if (after_.partner.try_emplace(b, a).second)
                pairs_.insert({b, a});
        }
    }

    /// By name, then by place where as many are left on both sides.
    static void addValues(const std::vector<model::Value>& before, const std::vector<model::Value>& after, bool outputs,
                          ModelDiff& diff) {
        const auto lacks = [](const std::vector<model::Value>& values, const std::string& name) {
            return std::ranges::find(values, name, &model::Value::name) == values.end();
        };
        std::vector<const model::Value*> gone, fresh;
        for (const model::Value& value : before)
            if (lacks(after, value.name))
                gone.push_back(&value);
        for (const model::Value& value : after)
            if (lacks(before, value.name))
                fresh.push_back(&value);
        for (const model::Value& value : before) {
            const auto same = std::ranges::find(after, value.name, &model::Value::name);
            if (same != after.end() && toString(same->type) != toString(value.type))
                diff.values.push_back({outputs, value.name, toString(value.type), toString(same->type)});
        }
        const bool byPlace = gone.size() == fresh.size();
        const auto whole = [](const model::Value& value) {
            return fmt::format("{} {}", value.name, toString(value.type));
        };
        for (size_t i = 0; byPlace && i < gone.size(); ++i)
            diff.values.push_back({outputs, fresh[i]->name, whole(*gone[i]), whole(*fresh[i])});
        for (size_t i = 0; !byPlace && i < gone.size(); ++i)
            diff.values.push_back({outputs, gone[i]->name, toString(gone[i]->type), ""});
        for (size_t i = 0; !byPlace && i < fresh.size(); ++i)
            diff.values.push_back({outputs, fresh[i]->name, "", toString(fresh[i]->type)});
    }

    /// Of a pair of partners also what one of them alone does.
    std::vector<std::string> changesOf(int32_t a, int32_t b) const {
        const auto found = links_.find({a, b});
        std::vector<std::string> changes = found == links_.end() ? std::vector<std::string>() : found->second.changes;
        const auto add = [&](const Side& side, int32_t node, int32_t other, const char* text) {
            const auto own = side.alone.find(node);
            if (own != side.alone.end() && side.partner.at(node) == other)
                for (const std::string& op : own->second)
                    changes.push_back(fmt::format("{}: {}", op, text));
        };
        add(before_, a, b, "removed");
        add(after_, b, a, "added");
        return changes;
    }

    /// In the order of the model after; what was removed where it stood.
    void addNodes(ModelDiff& diff) {
        int32_t next = 0;
        const auto flushRemoved = [&](int32_t end) {
            for (; next < end; ++next)
                if (const model::Node* node = before_.model.nodes[static_cast<size_t>(next)];
                    node && before_.computes(next) && !before_.partner.contains(next))
                    diff.nodes.push_back({node, nullptr, false, false, {}});
        };
        for (const model::Node* node : after_.model.nodes) {
            if (!node || !after_.computes(node->id))
                continue;
            if (!after_.partner.contains(node->id))
                diff.nodes.push_back({nullptr, node, false, false, {}});
            for (auto pair = pairs_.lower_bound({node->id, -1}); pair != pairs_.end() && pair->first == node->id;
                 ++pair) {
                flushRemoved(pair->second);
                const model::Node* old = before_.model.nodes[static_cast<size_t>(pair->second)];
                if (!old)
                    continue;
                if (std::vector<std::string> changes = changesOf(old->id, node->id); changes.empty())
                    diff.equal.emplace_back(old, node);
                else
                    diff.nodes.push_back({old, node, false, false, std::move(changes)});
            }
        }
        flushRemoved(static_cast<int32_t>(before_.model.nodes.size()));
    }

    Side before_, after_;
    std::map<std::pair<int32_t, int32_t>, Link> links_;
    std::set<std::pair<int32_t, int32_t>> pairs_; // after, before
};

} // namespace

bool areOfTwoFormats(const ImportedModel& before, const ImportedModel& after) {
    return before.module && after.module && before.graph->format != after.graph->format;
}

Result<ModelDiff> diffImported(const ImportedModel& before, const ImportedModel& after) {
    if (!areOfTwoFormats(before, after))
        return graph::diffModels(*before.graph, *after.graph);
    LATHE_TRY(ComputationGraph a, computationGraph(*before.graph, *before.module));
    LATHE_TRY(ComputationGraph b, computationGraph(*after.graph, *after.module));
    return NodePairs(before, after, std::move(a), std::move(b)).make();
}

} // namespace lathe::inspect
