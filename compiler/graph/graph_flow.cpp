// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_flow.h"

#include "model/names_read.h"

#include <string_view>
#include <unordered_map>

namespace lathe::graph {

namespace {

class FlowMaker {
public:
    FlowMaker(const model::ModelGraph& model, const model::Graph& graph) : model_(model), graph_(graph) {}

    GraphFlow make() {
        using Source = FlowValue::Source;
        const size_t count = graph_.nodes.size();
        numbers_.reserve(2 * count);
        flow_.reads.resize(count);
        flow_.writes.resize(count);
        flow_.hidden.resize(count);
        for (size_t i = 0; i < graph_.inputs.size(); ++i)
            flow_.inputs.push_back(define(graph_.inputs[i].name, Source::Input, int(i)));
        for (size_t i = 0; i < graph_.initializers.size(); ++i)
            define(graph_.initializers[i].name, Source::Constant, int(i));
        for (const model::Value& output : graph_.outputs) {
            flow_.outputs.push_back(numberOf(output.name));
            ++flow_.values[size_t(flow_.outputs.back())].outputs;
        }
        for (size_t i = 0; i < count; ++i)
            addWrites(int(i));
        for (size_t i = 0; i < count; ++i)
            addReads(int(i));
        for (const auto* declared : {&graph_.values, &graph_.inputs, &graph_.outputs})
            for (const model::Value& value : *declared)
                if (const auto number = numbers_.find(value.name);
                    number != numbers_.end() && value.type.kind != model::ValueType::Kind::Unknown)
                    flow_.values[size_t(number->second)].type = &value.type;
        return std::move(flow_);
    }

private:
    int numberOf(const std::string& name) {
        const auto [found, added] = numbers_.try_emplace(name, int(flow_.values.size()));
        if (added)
            flow_.values.emplace_back().name = &name;
        return found->second;
    }

    int define(const std::string& name, FlowValue::Source source, int from) {
        const int number = numberOf(name);
        flow_.values[size_t(number)].source = source;
        flow_.values[size_t(number)].from = from;
        return number;
    }

    void addWrites(int position) {
        const model::Node& node = graph_.nodes[size_t(position)];
        const bool constant = roleOf(model_, node).family == model::Family::Constant && node.outputs.size() == 1 &&
                              !node.outputs[0].empty();
        for (const std::string& output : node.outputs) {
            if (output.empty())
                continue;
            const int value = numberOf(output);
            const bool hidden = constant && flow_.values[size_t(value)].outputs == 0;
            define(output, hidden ? FlowValue::Source::Constant : FlowValue::Source::Node, hidden ? -1 : position);
            flow_.values[size_t(value)].node = position;
            flow_.writes[size_t(position)].push_back(value);
            flow_.hidden[size_t(position)] = hidden;
        }
    }

    void addReads(int position) {
        for (const std::string* name : model::namesRead(graph_.nodes[size_t(position)])) {
            const int value = numberOf(*name);
            flow_.values[size_t(value)].readers.push_back(position);
            flow_.reads[size_t(position)].push_back(value);
        }
    }

    const model::ModelGraph& model_;
    const model::Graph& graph_;
    GraphFlow flow_;
    std::unordered_map<std::string_view, int> numbers_;
};

} // namespace

GraphFlow flowOf(const model::ModelGraph& model, const model::Graph& graph) {
    return FlowMaker(model, graph).make();
}

} // namespace lathe::graph
