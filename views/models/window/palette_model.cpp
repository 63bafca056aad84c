// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/window/palette_model.h"

#include "views/models/text/fuzzy.h"

#include <algorithm>

namespace lathe::views::models {

std::vector<PaletteEntry> placesOf(const driver::Trace* trace) {
    std::vector<PaletteEntry> places;
    if (!trace)
        return places;
    using Kind = PaletteEntry::Kind;
    for (size_t i = 0; i < trace->calls.size(); ++i)
        places.push_back({Kind::Function, QString::fromStdString(trace->calls[i].function),
                          QString::fromStdString(trace->calls[i].kernel), int(i)});
    const auto ran = std::ranges::count_if(trace->passes, &driver::PassRecord::ran);
    for (size_t i = 0; i < trace->passes.size(); ++i) {
        if (!trace->passes[i].ran || ran == 1) // the import alone is no compilation
            continue;
        const std::string_view stage = driver::toString(trace->passes[i].stage);
        places.push_back({Kind::Pass, QString::fromStdString(trace->passes[i].name),
                          QString::fromUtf8(stage.data(), qsizetype(stage.size())), int(i)});
    }
    if (trace->graph)
        for (size_t i = 0; i < trace->graph->nodes.size(); ++i)
            if (const model::Node* node = trace->graph->nodes[i])
                places.push_back(
                    {Kind::Node, QString::fromStdString(displayName(*node)), QString::fromStdString(node->op), int(i)});
    return places;
}

void PaletteModel::setEntries(std::vector<PaletteEntry> entries) {
    entries_ = std::move(entries);
    setPattern({});
}

void PaletteModel::setPattern(const QString& pattern) {
    beginResetModel();
    shown_.clear();
    for (size_t i = 0; i < entries_.size(); ++i)
        if (auto match = fuzzyMatch(pattern, entries_[i].text))
            shown_.push_back({i, match->score, QList<int>(match->positions.begin(), match->positions.end())});
    matches_ = int(shown_.size());
    std::stable_sort(shown_.begin(), shown_.end(), [](const Shown& a, const Shown& b) { return a.score > b.score; });
    if (shown_.size() > size_t(mostShown))
        shown_.resize(size_t(mostShown));
    endResetModel();
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(shown_.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const PaletteEntry& entry = at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return entry.text;
    case Qt::AccessibleTextRole:
        return entry.detail.isEmpty() ? entry.text : entry.text + QStringLiteral(", ") + entry.detail;
    case detailRole:
        return entry.detail;
    case positionsRole:
        return QVariant::fromValue(shown_[size_t(index.row())].positions);
    default:
        return {};
    }
}

} // namespace lathe::views::models
