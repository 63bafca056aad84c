// SPDX-License-Identifier: Apache-2.0
//
// Text of declared types and attributes for people, and the table of nodes by id.
#include "model/model_graph.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::model {
namespace {

constexpr size_t shownElements = 16;

/// Formats hold most attributes as float32; as a double's digits 1e-05 would be 9.999999747378752e-06.
std::string floatText(double number) {
    const auto narrow = static_cast<float>(number);
    return static_cast<double>(narrow) == number ? fmt::format("{}", narrow) : fmt::format("{}", number);
}

template <class T>
std::string elementText(const T& element) {
    if constexpr (std::is_same_v<T, double>)
        return floatText(element);
    else
        return fmt::format("{}", element);
}

template <class T>
std::string listText(const std::vector<T>& list) {
    std::string text = "[";
    for (size_t i = 0; i < list.size() && i < shownElements; ++i)
        text += (i == 0 ? "" : ", ") + elementText(list[i]);
    if (list.size() > shownElements)
        text += fmt::format(", … {} more", list.size() - shownElements);
    return text + "]";
}

std::string dimText(const Dim& dim) {
    if (dim.value >= 0)
        return fmt::format("{}", dim.value);
    return dim.name.empty() ? "?" : dim.name;
}

std::string tensorText(const ValueType& type) {
    std::string text = type.dtype == types::Void ? "?" : toString(type.dtype);
    if (!type.hasShape)
        return text;
    text += "[";
    for (size_t i = 0; i < type.shape.size(); ++i)
        text += (i == 0 ? "" : ",") + dimText(type.shape[i]);
    return text + "]";
}

} // namespace

int64_t TensorData::elements() const {
    int64_t count = 1;
    for (int64_t dim : shape)
        count *= dim;
    return count;
}

std::string toString(const ValueType& type) {
    std::string prefix, suffix;
    const ValueType* at = &type;
    while (at->kind != ValueType::Kind::Tensor && at->kind != ValueType::Kind::Unknown) {
        if (at->kind == ValueType::Kind::Map)
            prefix += fmt::format("map({}, ", toString(at->dtype));
        else
            prefix += at->kind == ValueType::Kind::Sequence ? "sequence(" : "optional(";
        suffix += ")";
        if (!at->element)
            return prefix + "?" + suffix;
        at = at->element.get();
    }
    return prefix + (at->kind == ValueType::Kind::Unknown ? "?" : tensorText(*at)) + suffix;
}

std::string toString(const AttributeValue& value) {
    struct {
        std::string operator()(int64_t number) const { return fmt::format("{}", number); }
        std::string operator()(double number) const { return floatText(number); }
        std::string operator()(const std::string& text) const {
            return text.size() <= 80 ? fmt::format("\"{}\"", text) : fmt::format("\"{}…\"", text.substr(0, 80));
        }
        std::string operator()(const std::vector<int64_t>& list) const { return listText(list); }
        std::string operator()(const std::vector<double>& list) const { return listText(list); }
        std::string operator()(const std::vector<std::string>& list) const { return listText(list); }
        std::string operator()(const TensorPtr& tensor) const {
            return tensor ? fmt::format("{}[{}]", lathe::toString(tensor->dtype), fmt::join(tensor->shape, ",")) : "?";
        }
        std::string operator()(const std::shared_ptr<const Graph>& graph) const {
            return graph ? fmt::format("graph {} ({} nodes)", graph->name, graph->nodes.size()) : "?";
        }
        std::string operator()(const std::vector<std::shared_ptr<const Graph>>& graphs) const {
            return fmt::format("{} graphs", graphs.size());
        }
    } text;
    return std::visit(text, value);
}

std::vector<std::shared_ptr<const Graph>> graphsOf(const Node& node) {
    std::vector<std::shared_ptr<const Graph>> graphs;
    for (const Attribute& attribute : node.attributes) {
        if (auto* nested = std::get_if<std::shared_ptr<const Graph>>(&attribute.value))
            graphs.push_back(*nested);
        if (auto* list = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute.value))
            graphs.insert(graphs.end(), list->begin(), list->end());
    }
    std::erase(graphs, nullptr);
    return graphs;
}

void indexNodes(ModelGraph& model) {
    model.nodes.assign(static_cast<size_t>(model.nodeCount), nullptr);
    std::vector<const Graph*> open;
    if (model.graph)
        open.push_back(model.graph.get());
    while (!open.empty()) {
        const Graph* graph = open.back();
        open.pop_back();
        for (const Node& node : graph->nodes) {
            if (node.id >= 0 && node.id < model.nodeCount)
                model.nodes[static_cast<size_t>(node.id)] = &node;
            for (const std::shared_ptr<const Graph>& nested : graphsOf(node))
                open.push_back(nested.get());
        }
    }
}

int64_t countNodes(const ModelGraph& model) {
    return std::ranges::count_if(model.nodes, [](const Node* node) { return node != nullptr; });
}

int64_t countParameters(const ModelGraph& model) {
    int64_t parameters = 0;
    if (model.graph)
        for (const Initializer& initializer : model.graph->initializers)
            parameters += initializer.tensor ? initializer.tensor->elements() : 0;
    return parameters;
}

Role roleOf(const ModelGraph& model, const Node& node) {
    const auto id = static_cast<size_t>(node.id);
    return id < model.roles.size() ? model.roles[id] : Role{};
}

std::string displayName(const Node& node) {
    return node.name.empty() ? fmt::format("#{} {}", node.id, node.op) : node.name;
}

std::vector<std::string> displayNames(const ModelGraph& model, const std::vector<int32_t>& ids) {
    std::vector<std::string> names;
    for (const int32_t id : ids)
        if (const Node* node = model.nodes.at(static_cast<size_t>(id)))
            names.push_back(displayName(*node));
    return names;
}

std::string operatorName(const Node& node) {
    const std::string name = node.domain.empty() ? node.op : fmt::format("{}.{}", node.domain, node.op);
    return node.version > 0 ? fmt::format("{}-{}", name, node.version) : name;
}

Diagnostic withOperator(Diagnostic diagnostic, const ModelGraph& model) {
    const auto isNamed = [&](const Node* node) { return node && displayName(*node) == diagnostic.node; };
    if (std::ranges::count_if(model.nodes, isNamed) != 1)
        return diagnostic;
    const Node& node = **std::ranges::find_if(model.nodes, isNamed);
    diagnostic.op = operatorName(node);
    diagnostic.nodeId = node.id;
    return diagnostic;
}

} // namespace lathe::model
