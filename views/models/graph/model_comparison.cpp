// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/model_comparison.h"

#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"

#include <algorithm>

namespace lathe::views::models {

namespace {

constexpr qsizetype longestNameBeside = 120; // there are others beside it

QString nameOf(NodeDifference kind) {
    return kind == NodeDifference::Added     ? DifferenceModel::tr("added")
           : kind == NodeDifference::Removed ? DifferenceModel::tr("removed")
                                             : DifferenceModel::tr("changed");
}

NodeDifference kindOf(bool before, bool after, bool changed) {
    return !before   ? NodeDifference::Added
           : !after  ? NodeDifference::Removed
           : changed ? NodeDifference::Changed
                     : NodeDifference::Moved;
}

DifferenceRow rowOf(const lathe::graph::NodeChange& change) {
    DifferenceRow row;
    row.kind = kindOf(change.before, change.after, !change.changes.empty());
    row.before = change.before ? change.before->id : -1;
    row.after = change.after ? change.after->id : -1;
    QStringList words;
    if (row.kind != NodeDifference::Moved)
        words << nameOf(row.kind);
    if (change.renamed)
        words << DifferenceModel::tr("renamed");
    if (change.moved)
        words << DifferenceModel::tr("moved");
    row.difference = words.join(QStringLiteral(", "));
    const model::Node& node = change.after ? *change.after : *change.before;
    row.what = QStringLiteral("%1 (%2)").arg(oneLine(displayName(node), longestNameBeside),
                                             oneLine(node.op, longestNameBeside));
    for (const std::string& each : change.changes)
        row.changes << oneLine(each);
    if (change.renamed)
        row.changes << DifferenceModel::tr("name: %1 → %2")
                           .arg(oneLine(displayName(*change.before), longestNameBeside),
                                oneLine(displayName(*change.after), longestNameBeside));
    if (change.moved)
        row.changes << DifferenceModel::tr("another place in the order, or another scope");
    return row;
}

DifferenceRow rowOf(const lathe::graph::ValueChange& change) {
    DifferenceRow row;
    row.kind = kindOf(!change.before.empty(), !change.after.empty(), true);
    row.difference = nameOf(row.kind);
    row.what = (change.output ? DifferenceModel::tr("output %1") : DifferenceModel::tr("input %1"))
                   .arg(oneLine(change.name, longestNameBeside));
    const QString before = oneLine(change.before), after = oneLine(change.after);
    row.changes << (before.isEmpty() || after.isEmpty() ? before + after : before + QStringLiteral(" → ") + after);
    return row;
}

} // namespace

QString sentenceOf(const DifferenceRow& row) {
    const QString changes = row.changes.join("; ");
    return row.difference + ' ' + row.what + (changes.isEmpty() ? QString() : ": " + changes);
}

ModelComparisonPtr compareModels(const QString& path, model::ModelGraphPtr before, model::ModelGraphPtr after,
                                 lathe::graph::NodeNames names) {
    const lathe::graph::ModelDiff diff = lathe::graph::diffModels(*before, *after, names);
    return comparisonOf(path, std::move(before), std::move(after), diff);
}

ModelComparisonPtr comparisonOf(const QString& path, model::ModelGraphPtr before, model::ModelGraphPtr after,
                                const lathe::graph::ModelDiff& diff) {
    auto made = std::make_shared<ModelComparison>();
    made->path = path;
    made->before = std::move(before);
    made->after = std::move(after);
    for (const lathe::graph::ValueChange& change : diff.values)
        made->rows.push_back(rowOf(change));
    const auto pair = [&](const model::Node* from, const model::Node* to) {
        made->afterOf[from->id].push_back(to->id);
        made->beforeOf[to->id].push_back(from->id);
    };
    for (const lathe::graph::NodeChange& change : diff.nodes) {
        made->rows.push_back(rowOf(change));
        if (change.before && change.after)
            pair(change.before, change.after);
    }
    for (const auto& [from, to] : diff.equal)
        pair(from, to);
    made->equal = qint64(diff.equal.size());
    return made;
}

std::vector<int> ModelComparison::pairsOf(bool before, const std::vector<int>& nodes) const {
    std::vector<int> other;
    for (const int node : nodes)
        if (const auto found = (before ? afterOf : beforeOf).find(node); found != (before ? afterOf : beforeOf).end())
            other.insert(other.end(), found->second.begin(), found->second.end());
    std::ranges::sort(other);
    const auto twice = std::ranges::unique(other);
    other.erase(twice.begin(), twice.end());
    return other;
}

int ModelComparison::rowOf(bool before, int node) const {
    const auto found = std::ranges::find(rows, node, before ? &DifferenceRow::before : &DifferenceRow::after);
    return node < 0 || found == rows.end() ? -1 : int(found - rows.begin());
}

qint64 ModelComparison::count(NodeDifference kind) const {
    return std::ranges::count(rows, kind, &DifferenceRow::kind);
}

Overlay differenceOverlay(const ModelComparison& comparison, bool before, const GroupedGraph* grouped) {
    Overlay overlay;
    overlay.kind = OverlayKind::Difference;
    overlay.nodes.resize((before ? comparison.before : comparison.after)->nodes.size());
    for (const DifferenceRow& row : comparison.rows) {
        const int node = before ? row.before : row.after;
        if (node < 0)
            continue;
        NodeOverlay& own = overlay.nodes[size_t(node)];
        own.difference = row.kind;
        own.text = row.difference;
        own.hint = row.changes.join('\n');
    }
    for (size_t group = 0; grouped && group < grouped->tree.groups.size(); ++group) {
        NodeOverlay own;
        int count = 0;
        for (const int place : grouped->tree.nodesOf(int(group)))
            if (const auto kind = overlay.nodes[size_t(grouped->graph->nodes[size_t(place)].id)].difference;
                kind != NodeDifference::None) {
                own.difference = ++count == 1 || own.difference == kind ? kind : NodeDifference::Changed;
            }
        if (count > 0)
            own.text = counted(count, "difference", "differences");
        overlay.groups.push_back(std::move(own));
    }
    return overlay;
}

void DifferenceModel::show(ModelComparisonPtr comparison) {
    beginResetModel();
    comparison_ = std::move(comparison);
    endResetModel();
}

int DifferenceModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !comparison_ ? 0 : int(comparison_->rows.size());
}

int DifferenceModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant DifferenceModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || role != Qt::DisplayRole)
        return {};
    const DifferenceRow& row = at(index.row());
    return index.column() == Kind ? row.difference : index.column() == What ? row.what : row.changes.join("; ");
}

QVariant DifferenceModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    const QString names[] = {tr("Difference"), tr("Node"), tr("What changed")};
    return names[section];
}

} // namespace lathe::views::models
