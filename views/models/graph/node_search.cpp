// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/node_search.h"

#include "views/models/text/sought_words.h"

#include <QRegularExpression>
#include <unordered_map>

namespace lathe::views::models {

namespace {

using Types = std::unordered_map<std::string_view, std::string>; // by names of the model

void addTypes(const model::Graph& graph, Types& types) {
    for (const auto* values : {&graph.inputs, &graph.outputs, &graph.values})
        for (const model::Value& value : *values)
            types[value.name] = toString(value.type);
    for (const model::Initializer& constant : graph.initializers)
        if (constant.tensor) {
            std::vector<model::Dim> dims;
            for (const int64_t size : constant.tensor->shape)
                dims.push_back({size, {}});
            types[constant.name] = toString(model::ValueType{model::ValueType::Kind::Tensor, constant.tensor->dtype,
                                                             true, std::move(dims), nullptr, nullptr});
        }
}

} // namespace

NodeSearch::NodeSearch(const model::ModelGraph& model) {
    Types types;
    if (model.graph)
        addTypes(*model.graph, types);
    for (const model::Node* node : model.nodes)
        if (node)
            for (const auto& nested : graphsOf(*node))
                addTypes(*nested, types);
    texts_.reserve(model.nodes.size());
    for (const model::Node* node : model.nodes) {
        if (!node)
            continue;
        std::string text = node->op;
        text.append("\n").append(displayName(*node));
        for (const auto* values : {&node->inputs, &node->outputs})
            for (const std::string& value : *values) {
                text.append("\n").append(value);
                if (const auto type = types.find(value); type != types.end())
                    text.append(" ").append(type->second);
            }
        for (const model::Attribute& attribute : node->attributes)
            text.append("\n").append(attribute.name).append(" ").append(toString(attribute.value));
        texts_.emplace_back(node->id, QString::fromStdString(text));
    }
}

std::optional<std::vector<int>> NodeSearch::find(const QString& wanted, bool regular) const {
    std::vector<int> found;
    const QRegularExpression expression(regular ? wanted : QString(), QRegularExpression::CaseInsensitiveOption |
                                                                          QRegularExpression::MultilineOption);
    if (!expression.isValid())
        return std::nullopt;
    const SoughtWords words(wanted);
    for (const auto& [node, text] : texts_) {
        const bool fits = regular ? expression.match(text).hasMatch() : words.allIn(text);
        if (fits && !words.isEmpty())
            found.push_back(node);
    }
    return found;
}

} // namespace lathe::views::models
