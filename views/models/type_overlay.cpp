// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/type_overlay.h"

#include <QCoreApplication>
#include <QStringList>
#include <map>
#include <string_view>
#include <unordered_map>

namespace lathe::views::models {

namespace {

using model::ValueType;

QString tr(const char* text) {
    return QCoreApplication::translate("TypeOverlay", text);
}

/// "float32", "sequence": what the colour stands for.
QString kindOf(const ValueType& type) {
    const std::string text = type.kind == ValueType::Kind::Tensor ? toString(type.dtype) : toString(type);
    return QString::fromStdString(text.substr(0, text.find('(')));
}

void addNodes(const model::Graph& graph, Overlay& overlay) {
    std::unordered_map<std::string_view, const ValueType*> types;
    for (const auto* values : {&graph.values, &graph.outputs})
        for (const model::Value& value : *values)
            if (value.type.kind != ValueType::Kind::Unknown)
                types.emplace(value.name, &value.type);
    for (const model::Node& node : graph.nodes) {
        NodeOverlay& made = overlay.nodes[size_t(node.id)];
        made.hint = tr("of a type that the model does not say");
        for (const std::string& output : node.outputs)
            if (const auto type = types.find(output); type != types.end()) {
                made.text = kindOf(*type->second);
                made.hint = QString::fromStdString(output + ": " + toString(*type->second));
                break;
            }
        for (const auto& nested : model::graphsOf(node))
            addNodes(*nested, overlay);
    }
}

NodeOverlay ofGroup(const Overlay& overlay, const GroupedGraph& grouped, int group) {
    QStringList kinds;
    NodeOverlay result;
    for (const int place : grouped.tree.nodesOf(group)) {
        const NodeOverlay& node = overlay.nodes[size_t(grouped.graph->nodes[size_t(place)].id)];
        if (!node.text.isEmpty() && !kinds.contains(node.text))
            kinds << node.text;
        result = node;
    }
    kinds.sort();
    if (kinds.size() != 1)
        result = {};
    result.text = kinds.size() == 1 ? kinds.front() : QString();
    result.hint = kinds.join(QStringLiteral(", "));
    return result;
}

} // namespace

Overlay typeOverlay(const model::ModelGraph& model, const GroupedGraph* grouped) {
    Overlay overlay;
    overlay.kind = OverlayKind::Type;
    overlay.nodes.resize(size_t(model.nodeCount));
    addNodes(*model.graph, overlay);
    std::map<QString, int> categories;
    for (const NodeOverlay& node : overlay.nodes)
        if (!node.text.isEmpty())
            categories.emplace(node.text, 0);
    int next = 0;
    for (auto& [name, number] : categories)
        number = next++;
    for (NodeOverlay& node : overlay.nodes)
        if (const auto found = categories.find(node.text); found != categories.end())
            node.category = found->second;
    if (grouped)
        for (size_t group = 0; group < grouped->tree.groups.size(); ++group) {
            overlay.groups.push_back(ofGroup(overlay, *grouped, int(group)));
            const auto found = categories.find(overlay.groups.back().text);
            overlay.groups.back().category = found == categories.end() ? -1 : found->second;
        }
    return overlay;
}

} // namespace lathe::views::models
