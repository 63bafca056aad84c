// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/type_overlay.h"

#include "views/models/graph/category_overlay.h"
#include "views/models/text/translate.h"

#include <string_view>
#include <unordered_map>

namespace lathe::views::models {

namespace {

using model::ValueType;

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

} // namespace

Overlay typeOverlay(const model::ModelGraph& model, const GroupedGraph* grouped) {
    Overlay overlay;
    overlay.kind = OverlayKind::Type;
    overlay.nodes.resize(size_t(model.nodeCount));
    addNodes(*model.graph, overlay);
    colourByText(overlay, grouped);
    return overlay;
}

} // namespace lathe::views::models
