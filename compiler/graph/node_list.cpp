// SPDX-License-Identifier: Apache-2.0
#include "graph/node_list.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <unordered_map>

namespace lathe::graph {
namespace {

using model::Graph;
using model::Node;

Hash128 hashOfTensor(const model::TensorData& tensor) {
    Hasher hasher;
    hasher.add(toString(tensor.dtype));
    for (const int64_t dim : tensor.shape)
        hasher.add(static_cast<uint64_t>(dim));
    hasher.addBytes(tensor.bytes.view);
    for (const std::string& text : tensor.strings)
        hasher.add(text);
    return hasher.finish();
}

std::string typeText(const model::TensorData& tensor) {
    return fmt::format("{}[{}]", toString(tensor.dtype), fmt::join(tensor.shape, ","));
}

/// A model as a list: the nodes of a nested graph before the node that it hangs on.
class NodeListing {
public:
    /// `first`: the model that came first, which numbers the inputs.
    NodeListing(const model::ModelGraph& model, const model::ModelGraph& first) : graph_(*model.graph) {
        Scope scope;
        for (size_t i = 0; i < graph_.inputs.size(); ++i) {
            const size_t number = numberOf(i, first.graph->inputs);
            Hasher hasher;
            hasher.add("input");
            hasher.add(number);
            scope.values[graph_.inputs[i].name] = {ValueSource::Kind::Input, static_cast<int>(number), 0,
                                                   hasher.finish(), graph_.inputs[i].name};
        }
        add(graph_, scope);
        for (const model::Value& output : graph_.outputs)
            made.outputs.push_back(scope.find(output.name));
    }

    NodeList made;

private:
    struct Scope {
        const Scope* outer = nullptr;
        std::unordered_map<std::string, ValueSource> values;
        ValueSource find(const std::string& name) const {
            if (name.empty())
                return {.kind = ValueSource::Kind::Absent, .place = -1, .index = 0, .hash = {}, .text = "nothing"};
            for (const Scope* scope = this; scope; scope = scope->outer)
                if (const auto found = scope->values.find(name); found != scope->values.end())
                    return found->second;
            ValueSource unknown;
            unknown.text = name;
            return unknown;
        }
    };

    /// By name; a name that is new takes the place of one that is gone, else a number of its own.
    size_t numberOf(size_t input, const std::vector<model::Value>& first) const {
        const auto found = std::ranges::find(first, graph_.inputs[input].name, &model::Value::name);
        if (found != first.end())
            return static_cast<size_t>(found - first.begin());
        const bool free = input < first.size() && std::ranges::find(graph_.inputs, first[input].name,
                                                                    &model::Value::name) == graph_.inputs.end();
        return free ? input : first.size() + input;
    }

    void add(const Graph& graph, Scope& scope) {
        for (const model::Initializer& initializer : graph.initializers)
            if (initializer.tensor)
                scope.values[initializer.name] = {ValueSource::Kind::Constant, -1, 0, hashOfTensor(*initializer.tensor),
                                                  typeText(*initializer.tensor)};
        for (const Node& node : graph.nodes)
            add(node, scope);
    }

    void add(const Node& node, Scope& scope) {
        ListedNode entry;
        entry.node = &node;
        for (const std::string& input : node.inputs)
            entry.operands.push_back(scope.find(input));
        for (const auto& nested : model::graphsOf(node)) {
            Scope inner{&scope, {}};
            for (size_t i = 0; i < nested->inputs.size(); ++i) {
                Hasher hasher;
                hasher.add("inner");
                hasher.add(i);
                inner.values[nested->inputs[i].name] = {ValueSource::Kind::Inner, -1, static_cast<int>(i),
                                                        hasher.finish(), nested->inputs[i].name};
            }
            add(*nested, inner);
            for (const model::Value& output : nested->outputs)
                entry.operands.push_back(inner.find(output.name));
        }
        Hasher local, whole;
        local.add(model::operatorName(node));
        local.add(node.outputs.size());
        std::map<std::string, Hash128> attributes;
        for (const model::Attribute& attribute : node.attributes)
            attributes[attribute.name] = hashOf(attribute.value);
        for (const auto& [name, hash] : attributes) {
            local.add(name);
            local.add(hash);
        }
        for (const ValueSource& operand : entry.operands) {
            const bool constant = operand.kind == ValueSource::Kind::Constant;
            local.add(static_cast<uint64_t>(constant));
            if (constant)
                local.add(operand.hash);
            whole.add(operand.hash);
        }
        entry.local = local.finish();
        whole.add(entry.local);
        entry.whole = whole.finish();
        const int place = static_cast<int>(made.nodes.size());
        for (size_t i = 0; i < node.outputs.size(); ++i) {
            Hasher output;
            output.add(entry.whole);
            output.add(i);
            scope.values[node.outputs[i]] = {ValueSource::Kind::Node, place, static_cast<int>(i), output.finish(),
                                             model::displayName(node)};
        }
        made.nodes.push_back(std::move(entry));
    }

    const Graph& graph_;
};

} // namespace

Hash128 hashOf(const model::AttributeValue& value) {
    Hasher hasher;
    hasher.add(value.index());
    const auto add = [&](const auto& one) {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, int64_t>)
            hasher.add(static_cast<uint64_t>(one));
        else if constexpr (std::is_same_v<T, double>)
            hasher.add(std::bit_cast<uint64_t>(one));
        else
            hasher.add(std::string_view(one));
    };
    std::visit(
        [&](const auto& content) {
            using T = std::decay_t<decltype(content)>;
            if constexpr (std::is_same_v<T, model::TensorPtr>) {
                if (content)
                    hasher.add(hashOfTensor(*content));
            } else if constexpr (std::is_same_v<T, std::shared_ptr<const Graph>>) {
                hasher.add(content->outputs.size());
            } else if constexpr (std::is_same_v<T, std::vector<std::shared_ptr<const Graph>>>) {
                hasher.add(content.size());
            } else if constexpr (requires { content.begin()->size(); } || std::is_same_v<T, std::vector<int64_t>> ||
                                 std::is_same_v<T, std::vector<double>>) {
                for (const auto& one : content)
                    add(one);
            } else {
                add(content);
            }
        },
        value);
    return hasher.finish();
}

NodeList listNodes(const model::ModelGraph& model, const model::ModelGraph& first) {
    return NodeListing(model, first).made;
}

} // namespace lathe::graph
