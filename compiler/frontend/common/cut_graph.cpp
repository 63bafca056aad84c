// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/cut_graph.h"

#include "base/near_name.h"
#include "model/names_read.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace lathe::frontend {
namespace {

constexpr size_t mostSuggested = 4; // names that anybody types

struct Place {
    size_t node = 0, result = 0;
};

class GraphCutter {
public:
    GraphCutter(const model::Graph& whole, const TypeOfResult& typeOf) : whole_(whole), typeOf_(typeOf) {
        for (size_t i = 0; i < whole.nodes.size(); ++i)
            for (size_t k = 0; k < whole.nodes[i].outputs.size(); ++k)
                if (!whole.nodes[i].outputs[k].empty())
                    producers_.emplace(whole.nodes[i].outputs[k], Place{i, k});
        for (const auto* values : {&whole.inputs, &whole.values, &whole.outputs})
            for (const model::Value& value : *values)
                if (values == &whole.inputs || value.type.kind != model::ValueType::Kind::Unknown)
                    declared_.emplace(value.name, value.type);
        for (const model::Initializer& initializer : whole.initializers)
            constants_.emplace(initializer.name, initializer.tensor);
    }

    Result<std::shared_ptr<model::Graph>> part(const model::Cut& cut) {
        auto graph = std::make_shared<model::Graph>();
        graph->name = whole_.name;
        graph->values = whole_.values;
        for (const std::string& asked : cut.inputs) {
            LATHE_TRY(const std::string name, meant(asked));
            if (given_.insert(name).second)
                graph->inputs.push_back({name, typeOf(name)});
        }
        for (const std::string& asked : cut.outputs) {
            LATHE_TRY(const std::string name, meant(asked));
            if (std::ranges::find(graph->outputs, name, &model::Value::name) == graph->outputs.end())
                graph->outputs.push_back({name, typeDeclared(name)});
        }
        if (cut.outputs.empty())
            graph->outputs = whole_.outputs;
        for (const model::Value& output : graph->outputs)
            need(output.name);
        while (!open_.empty()) {
            const model::Node& node = whole_.nodes[open_.back()];
            open_.pop_back();
            for (const std::string* name : model::namesRead(node))
                need(*name);
        }
        addNodes(*graph);
        for (const model::Value& input : whole_.inputs)
            if (needed_.contains(input.name) && !given_.contains(input.name))
                graph->inputs.push_back(input);
        for (const model::Initializer& initializer : whole_.initializers)
            if (needed_.contains(initializer.name) && !given_.contains(initializer.name))
                graph->initializers.push_back(initializer);
        return graph;
    }

private:
    bool isValue(const std::string& name) const {
        return producers_.contains(name) || declared_.contains(name) || constants_.contains(name);
    }

    Result<std::string> meant(const std::string& asked) const {
        constexpr std::string_view first = ":0";
        for (std::string name :
             {asked, asked.ends_with(first) ? asked.substr(0, asked.size() - first.size()) : asked}) {
            if (isValue(name))
                return name;
            const auto node = std::ranges::find(whole_.nodes, name, &model::Node::name);
            if (node != whole_.nodes.end() && !node->outputs.empty() && !node->outputs[0].empty())
                return node->outputs[0];
        }
        std::vector<std::string> names;
        for (const auto& [name, place] : producers_)
            names.push_back(name);
        return failure(ErrorKind::Usage,
                       fmt::format("the model has no value '{}' to be cut at{}", asked, nearName(asked, names)),
                       "values are called as nodes give them: lathe inspect lists those of nodes");
    }

    model::ValueType typeDeclared(const std::string& name) const {
        const auto declared = declared_.find(name);
        return declared == declared_.end() ? model::ValueType() : declared->second;
    }

    model::ValueType typeOf(const std::string& name) const {
        model::ValueType type = typeDeclared(name);
        if (type.kind == model::ValueType::Kind::Unknown)
            if (const auto place = producers_.find(name); place != producers_.end())
                type = typeOf_(whole_.nodes[place->second.node], place->second.result);
        if (type.kind == model::ValueType::Kind::Unknown)
            if (const auto constant = constants_.find(name); constant != constants_.end()) {
                type.kind = model::ValueType::Kind::Tensor;
                type.dtype = constant->second->dtype;
                type.hasShape = true;
                for (const int64_t size : constant->second->shape)
                    type.shape.push_back({size, {}});
            }
        return type;
    }

    void need(const std::string& name) {
        if (!needed_.insert(name).second || given_.contains(name))
            return;
        if (const auto place = producers_.find(name);
            place != producers_.end() && kept_.insert(place->second.node).second)
            open_.push_back(place->second.node);
    }

    /// Those that are needed, and those without results, which are there for what they do, if all that they read is
    /// there too. What is given has no other producer any more.
    void addNodes(model::Graph& graph) {
        const auto isThere = [&](const std::string* name) {
            const auto place = producers_.find(*name);
            return given_.contains(*name) || place == producers_.end() || kept_.contains(place->second.node);
        };
        for (size_t i = 0; i < whole_.nodes.size(); ++i) {
            const model::Node& node = whole_.nodes[i];
            const std::vector<const std::string*> read = model::namesRead(node);
            if (!kept_.contains(i)) {
                const bool hasResults =
                    std::ranges::any_of(node.outputs, [](const std::string& name) { return !name.empty(); });
                if (hasResults || !std::ranges::all_of(read, isThere))
                    continue;
                for (const std::string* name : read)
                    needed_.insert(*name);
            }
            model::Node& added = graph.nodes.emplace_back(node);
            for (std::string& output : added.outputs)
                if (given_.contains(output))
                    output.clear();
        }
    }

    const model::Graph& whole_;
    const TypeOfResult& typeOf_;
    std::unordered_map<std::string, Place> producers_;
    std::unordered_map<std::string, model::ValueType> declared_;
    std::unordered_map<std::string, model::TensorPtr> constants_;
    std::unordered_set<std::string> given_, needed_;
    std::unordered_set<size_t> kept_;
    std::vector<size_t> open_;
};

} // namespace

Result<void> cutGraph(model::ModelGraph& model, const model::Cut& cut, const TypeOfResult& typeOf) {
    if (!model.graph)
        return {}; // it could not be read, which is told
    LATHE_TRY(std::shared_ptr<model::Graph> part, GraphCutter(*model.graph, typeOf).part(cut));
    model.graph = std::move(part);
    indexNodes(model);
    std::erase_if(model.diagnostics, [&](const Diagnostic& fault) {
        return fault.nodeId >= 0 && fault.nodeId < std::ssize(model.nodes) &&
               !model.nodes[static_cast<size_t>(fault.nodeId)];
    });
    return {};
}

std::vector<std::string> inputsBehind(const model::ModelGraph& model,
                                      const std::function<bool(const model::Node&)>& isRefused) {
    std::unordered_set<std::string_view> given;
    std::vector<std::string> inputs;
    for (const model::Node& node : model.graph->nodes)
        if (isRefused(node))
            given.insert(node.outputs.begin(), node.outputs.end());
        else
            for (const std::string* name : model::namesRead(node))
                if (given.contains(*name) && std::ranges::find(inputs, *name) == inputs.end())
                    inputs.push_back(*name);
    const bool givesOutput = std::ranges::any_of(
        model.graph->outputs, [&](const model::Value& output) { return given.contains(output.name); });
    return givesOutput || inputs.size() > mostSuggested ? std::vector<std::string>() : inputs;
}

std::vector<std::string> outputsBefore(const model::ModelGraph& model,
                                       const std::function<bool(const model::Node&)>& isRefused) {
    std::unordered_set<std::string_view> computed, lost;
    std::vector<std::string> outputs, ends;
    for (const model::Node& node : model.graph->nodes) {
        const auto read = model::namesRead(node);
        const bool refused = isRefused(node);
        if (refused || std::ranges::any_of(read, [&](const std::string* name) { return lost.contains(*name); }))
            lost.insert(node.outputs.begin(), node.outputs.end());
        else if (!read.empty())
            computed.insert(node.outputs.begin(), node.outputs.end());
        for (const std::string* name : read)
            if (refused && computed.contains(*name))
                ends.push_back(*name);
    }
    for (const model::Value& output : model.graph->outputs)
        if (computed.contains(output.name))
            outputs.push_back(output.name);
    for (const std::string& end : ends)
        if (std::ranges::find(outputs, end) == outputs.end())
            outputs.push_back(end);
    return ends.empty() || outputs.size() > mostSuggested ? std::vector<std::string>() : outputs;
}

} // namespace lathe::frontend
