// SPDX-License-Identifier: Apache-2.0
//
// Both models become lists of nodes whose operands say where they come from; then nodes are paired, step by step, each step
// among those that are left.
#include "graph/model_diff.h"

#include "graph/node_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <unordered_map>

namespace lathe::graph {
namespace {

using model::Node;

/// Which node is which.
class Pairs {
public:
    Pairs(const NodeList& before, const NodeList& after, NodeNames names)
        : a_(before), b_(after), afterOf(before.nodes.size(), -1), beforeOf(after.nodes.size(), -1) {
        const auto nameOf = [](const ListedNode& entry) { return entry.node->name; };
        if (names == NodeNames::Identities)
            pairBy(nameOf);
        if (names != NodeNames::Labels)
            pairBy([&](const ListedNode& entry) {
                return nameOf(entry).empty() ? "" : nameOf(entry) + '\n' + toString(entry.local);
            });
        pairBy([](const ListedNode& entry) { return toString(entry.whole); });
        pairByOperands();
        pairByReaders();
        if (names != NodeNames::Labels)
            pairBy(nameOf);
    }

    bool same(const ValueSource& before, const ValueSource& after) const {
        if (before.kind != after.kind || before.index != after.index)
            return false;
        switch (before.kind) {
        case ValueSource::Kind::Node:
            return afterOf[static_cast<size_t>(before.place)] == after.place;
        case ValueSource::Kind::Input:
            return before.place == after.place;
        case ValueSource::Kind::Constant:
            return before.hash == after.hash;
        case ValueSource::Kind::Unknown:
            return before.text == after.text;
        default:
            return true;
        }
    }

private:
    const NodeList& a_;
    const NodeList& b_;

    void pair(size_t before, size_t after) {
        afterOf[before] = static_cast<int>(after);
        beforeOf[after] = static_cast<int>(before);
    }

    /// Those of equal keys, in order; an empty key is none.
    void pairBy(const std::function<std::string(const ListedNode&)>& key) {
        std::unordered_map<std::string, std::vector<size_t>> left; // the last one comes first
        for (size_t i = a_.nodes.size(); i-- > 0;)
            if (afterOf[i] < 0)
                if (std::string text = key(a_.nodes[i]); !text.empty())
                    left[std::move(text)].push_back(i);
        for (size_t j = 0; j < b_.nodes.size(); ++j)
            if (beforeOf[j] < 0)
                if (const auto found = left.find(key(b_.nodes[j])); found != left.end() && !found->second.empty()) {
                    pair(found->second.back(), j);
                    found->second.pop_back();
                }
    }

    /// Same operator, and an operand from nodes that are a pair, in the same place.
    void pairByOperands() {
        std::map<std::tuple<int, int, size_t>, std::vector<size_t>> readers; // of a node's output, by operand
        for (size_t i = 0; i < a_.nodes.size(); ++i)
            for (size_t k = 0; k < a_.nodes[i].operands.size(); ++k)
                if (const ValueSource& source = a_.nodes[i].operands[k]; source.kind == ValueSource::Kind::Node)
                    readers[{source.place, source.index, k}].push_back(i);
        for (size_t j = 0; j < b_.nodes.size(); ++j)
            for (size_t k = 0; beforeOf[j] < 0 && k < b_.nodes[j].operands.size(); ++k) {
                const ValueSource& source = b_.nodes[j].operands[k];
                if (source.kind != ValueSource::Kind::Node || beforeOf[static_cast<size_t>(source.place)] < 0)
                    continue;
                const auto found = readers.find({beforeOf[static_cast<size_t>(source.place)], source.index, k});
                if (found == readers.end())
                    continue;
                for (const size_t i : found->second)
                    if (afterOf[i] < 0 && a_.nodes[i].node->op == b_.nodes[j].node->op) {
                        pair(i, j);
                        break;
                    }
            }
    }

    void pairSources(const ValueSource& from, const ValueSource& to) {
        if (from.kind != ValueSource::Kind::Node || to.kind != ValueSource::Kind::Node || from.index != to.index)
            return;
        const auto i = static_cast<size_t>(from.place), j = static_cast<size_t>(to.place);
        if (afterOf[i] < 0 && beforeOf[j] < 0 && a_.nodes[i].node->op == b_.nodes[j].node->op)
            pair(i, j);
    }

    /// Same operator, and both give the same output of the model, or an operand, in the same place, of nodes that are a pair.
    void pairByReaders() {
        for (size_t k = 0; k < std::min(a_.outputs.size(), b_.outputs.size()); ++k)
            pairSources(a_.outputs[k], b_.outputs[k]);
        for (size_t j = b_.nodes.size(); j-- > 0;) {
            if (beforeOf[j] < 0)
                continue;
            const ListedNode &a = a_.nodes[static_cast<size_t>(beforeOf[j])], &b = b_.nodes[j];
            for (size_t k = 0; k < std::min(a.operands.size(), b.operands.size()); ++k)
                pairSources(a.operands[k], b.operands[k]);
        }
    }

public:
    std::vector<int> afterOf, beforeOf; // -1: none
};

/// Of the pairs, which stand in the order of the others: a longest increasing run of places.
std::vector<bool> inOrder(const std::vector<int>& beforeOf) {
    std::vector<size_t> ends; // of the best run of each length
    std::vector<int> previous(beforeOf.size(), -1);
    for (size_t j = 0; j < beforeOf.size(); ++j) {
        if (beforeOf[j] < 0)
            continue;
        const auto at = std::ranges::lower_bound(ends, beforeOf[j], {}, [&](size_t end) { return beforeOf[end]; });
        previous[j] = at == ends.begin() ? -1 : static_cast<int>(*(at - 1));
        if (at == ends.end())
            ends.push_back(j);
        else
            *at = j;
    }
    std::vector<bool> stays(beforeOf.size(), false);
    for (int j = ends.empty() ? -1 : static_cast<int>(ends.back()); j >= 0; j = previous[static_cast<size_t>(j)])
        stays[static_cast<size_t>(j)] = true;
    return stays;
}

std::vector<std::string> attributeChanges(const Node& before, const Node& after) {
    std::map<std::string, std::pair<const model::AttributeValue*, const model::AttributeValue*>> both;
    for (const model::Attribute& attribute : before.attributes)
        both[attribute.name].first = &attribute.value;
    for (const model::Attribute& attribute : after.attributes)
        both[attribute.name].second = &attribute.value;
    std::vector<std::string> changes;
    for (const auto& [name, values] : both) {
        const auto& [a, b] = values;
        if (a && b && hashOf(*a) == hashOf(*b))
            continue;
        const std::string from = a ? model::toString(*a) : "none", to = b ? model::toString(*b) : "none";
        changes.push_back(from == to ? fmt::format("attribute {}: other values, {}", name, to)
                                     : fmt::format("attribute {}: {} → {}", name, from, to));
    }
    return changes;
}

std::string text(const ValueSource& source) {
    if (source.kind == ValueSource::Kind::Constant)
        return "constant " + source.text;
    return source.index > 0 ? fmt::format("{}:{}", source.text, source.index) : source.text;
}

std::vector<std::string> changesOf(const ListedNode& before, const ListedNode& after, const Pairs& pairs) {
    std::vector<std::string> changes;
    if (const std::string from = model::operatorName(*before.node), to = model::operatorName(*after.node); from != to)
        changes.push_back(fmt::format("operator: {} → {}", from, to));
    for (std::string& change : attributeChanges(*before.node, *after.node))
        changes.push_back(std::move(change));
    if (before.node->outputs.size() != after.node->outputs.size())
        changes.push_back(fmt::format("outputs: {} → {}", before.node->outputs.size(), after.node->outputs.size()));
    const ValueSource none{.kind = ValueSource::Kind::Absent, .place = -1, .index = 0, .hash = {}, .text = "nothing"};
    for (size_t k = 0; k < std::max(before.operands.size(), after.operands.size()); ++k) {
        const ValueSource& from = k < before.operands.size() ? before.operands[k] : none;
        const ValueSource& to = k < after.operands.size() ? after.operands[k] : none;
        if (pairs.same(from, to))
            continue;
        const bool values = from.kind == ValueSource::Kind::Constant && to.kind == from.kind && from.text == to.text;
        changes.push_back(values ? fmt::format("operand {}: other values, {}", k, text(to))
                                 : fmt::format("operand {}: {} → {}", k, text(from), text(to)));
    }
    return changes;
}

void diffValues(const std::vector<model::Value>& before, const std::vector<model::Value>& after, bool outputs,
                ModelDiff& diff) {
    const auto typeIn = [](const std::vector<model::Value>& values, const std::string& name) -> std::string {
        const auto found = std::ranges::find(values, name, &model::Value::name);
        return found == values.end() ? "" : model::toString(found->type);
    };
    for (const model::Value& value : before)
        if (std::string to = typeIn(after, value.name); to != model::toString(value.type))
            diff.values.push_back({outputs, value.name, model::toString(value.type), std::move(to)});
    for (const model::Value& value : after)
        if (typeIn(before, value.name).empty())
            diff.values.push_back({outputs, value.name, "", model::toString(value.type)});
}

} // namespace

bool ModelDiff::sameStructure() const {
    return values.empty() && std::ranges::all_of(nodes, [](const NodeChange& change) {
               return change.before && change.after && change.changes.empty();
           });
}

ModelDiff diffModels(const model::ModelGraph& before, const model::ModelGraph& after, NodeNames names) {
    const NodeList a = listNodes(before, before), b = listNodes(after, before);
    const Pairs pairs(a, b, names);
    ModelDiff diff;
    diffValues(before.graph->inputs, after.graph->inputs, false, diff);
    diffValues(before.graph->outputs, after.graph->outputs, true, diff);
    for (size_t i = 0; i < std::min(a.outputs.size(), b.outputs.size()); ++i)
        if (before.graph->outputs[i].name == after.graph->outputs[i].name && !pairs.same(a.outputs[i], b.outputs[i]))
            diff.values.push_back({true, before.graph->outputs[i].name, text(a.outputs[i]), text(b.outputs[i])});

    const std::vector<bool> stays = inOrder(pairs.beforeOf);
    size_t next = 0; // of those before: what was removed is said before what stands behind it
    const auto flushRemoved = [&](size_t end) {
        for (; next < end; ++next)
            if (pairs.afterOf[next] < 0)
                diff.nodes.push_back({a.nodes[next].node, nullptr, false, false, {}});
    };
    for (size_t j = 0; j < b.nodes.size(); ++j) {
        const Node* node = b.nodes[j].node;
        if (pairs.beforeOf[j] < 0) {
            diff.nodes.push_back({nullptr, node, false, false, {}});
            continue;
        }
        const auto i = static_cast<size_t>(pairs.beforeOf[j]);
        if (stays[j])
            flushRemoved(i);
        const Node* old = a.nodes[i].node;
        NodeChange change{old, node, old->name != node->name, !stays[j] || old->scope != node->scope,
                          changesOf(a.nodes[i], b.nodes[j], pairs)};
        if (change.renamed || change.moved || !change.changes.empty())
            diff.nodes.push_back(std::move(change));
        else
            diff.equal.emplace_back(old, node);
    }
    flushRemoved(a.nodes.size());
    return diff;
}

} // namespace lathe::graph
