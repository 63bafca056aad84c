// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/check/error_overlay.h"

#include "views/models/text/translate.h"

#include <algorithm>
#include <cmath>

namespace lathe::views::models {

namespace {

using diagnose::CheckRow;
using diagnose::CheckState;

constexpr double magnitudes = 6;    // of errors within the tolerance that differ in colour
constexpr double mostWithin = 0.55; // share of what is just within

double shareOf(const CheckRow& row) {
    if (row.state == CheckState::Diverges)
        return 1;
    const double part = row.comparison.ofLimit > 0 ? 1 + std::log10(row.comparison.ofLimit) / magnitudes : 0;
    return mostWithin * std::clamp(part, 0.0, 1.0);
}

void paint(NodeOverlay& node, const CheckRow& row, bool isOwn) {
    node.value = row.comparison.ofLimit;
    node.share = shareOf(row);
    node.text = errorText(row.comparison.largest) + (isOwn ? QString() : QStringLiteral(" ∗"));
    QString state = row.first                           ? tr("diverges first")
                    : row.state == CheckState::Diverges ? tr("diverges")
                                                        : tr("within the tolerance");
    node.hint = tr("%1: %2\nerror %3, %4 of the tolerance")
                    .arg(QString::fromStdString(row.value), state, errorText(row.comparison.largest),
                         errorText(row.comparison.ofLimit));
    if (!isOwn)
        node.hint = tr("computed with %1").arg(node.hint);
}

/// A group is as its worst node.
void addGroups(Overlay& overlay, const GroupedGraph& grouped) {
    for (size_t i = 0; i < grouped.tree.groups.size(); ++i) {
        NodeOverlay worst;
        for (const int place : grouped.tree.nodesOf(int(i))) {
            const NodeOverlay& each = overlay.nodes[size_t(grouped.graph->nodes[size_t(place)].id)];
            if (each.value && (!worst.value || *each.value > *worst.value))
                worst = each;
        }
        overlay.groups.push_back(std::move(worst));
    }
}

} // namespace

Overlay errorOverlay(const diagnose::Check& check, const GroupedGraph* grouped) {
    Overlay overlay;
    overlay.kind = OverlayKind::Error;
    overlay.nodes.resize(size_t(check.trace->graph->nodeCount));
    std::vector<bool> own(overlay.nodes.size());
    double largest = 0;
    for (const CheckRow& row : check.rows) {
        NodeOverlay& node = overlay.nodes[size_t(row.node)];
        if (row.state == CheckState::NotCompared) {
            if (node.hint.isEmpty())
                node.hint = QString::fromStdString(row.why);
            continue;
        }
        largest = std::max(largest, row.comparison.ofLimit);
        if (!own[size_t(row.node)] || *node.value < row.comparison.ofLimit) // of several outputs the worst
            paint(node, row, true);
        own[size_t(row.node)] = true;
    }
    for (const CheckRow& row : check.rows)
        if (row.state != CheckState::NotCompared)
            for (const int32_t with : row.nodes)
                if (NodeOverlay& node = overlay.nodes[size_t(with)];
                    !own[size_t(with)] && (!node.value || *node.value < row.comparison.ofLimit))
                    paint(node, row, false);
    if (grouped)
        addGroups(overlay, *grouped);
    overlay.largest = tr("%1 of the tolerance").arg(errorText(largest));
    return overlay;
}

} // namespace lathe::views::models
