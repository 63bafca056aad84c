// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/category_overlay.h"

#include <QStringList>
#include <map>

namespace lathe::views::models {

namespace {

NodeOverlay ofGroup(const Overlay& overlay, const GroupedGraph& grouped, int group) {
    QStringList kinds;
    for (const int place : grouped.tree.nodesOf(group)) {
        const NodeOverlay& node = overlay.nodes[size_t(grouped.graph->nodes[size_t(place)].id)];
        if (!node.text.isEmpty() && !kinds.contains(node.text))
            kinds << node.text;
    }
    kinds.sort();
    NodeOverlay result;
    result.text = kinds.size() == 1 ? kinds.front() : QString();
    result.hint = kinds.join(QStringLiteral(", "));
    return result;
}

} // namespace

void colourByText(Overlay& overlay, const GroupedGraph* grouped) {
    std::map<QString, int> categories;
    for (const NodeOverlay& node : overlay.nodes)
        if (!node.text.isEmpty())
            categories.emplace(node.text, 0);
    int next = 0;
    for (auto& [name, number] : categories)
        number = next++;
    const auto colour = [&](NodeOverlay& each) {
        const auto found = categories.find(each.text);
        each.category = found == categories.end() ? -1 : found->second;
    };
    for (NodeOverlay& node : overlay.nodes)
        colour(node);
    for (size_t group = 0; grouped && group < grouped->tree.groups.size(); ++group)
        colour(overlay.groups.emplace_back(ofGroup(overlay, *grouped, int(group))));
}

} // namespace lathe::views::models
