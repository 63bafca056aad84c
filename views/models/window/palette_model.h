// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the command palette offers, ranked by what was typed: actions of the window, and places in the open model.
#pragma once

#include "driver/trace.h"

#include <QAbstractListModel>
#include <vector>

namespace lathe::views::models {

struct PaletteEntry {
    enum class Kind { Action, Node, Function, Pass };
    Kind kind = Kind::Action;
    QString text;
    QString detail; // at the right: keys, an operator, a stage
    int id = 0;     // of an action its place in the table, a node's id, a pass's place in the Trace
};

/// Nodes by their display names; after a compilation also passes and fused functions. Null: nothing.
std::vector<PaletteEntry> placesOf(const driver::Trace* trace);

class PaletteModel : public QAbstractListModel {
    Q_OBJECT

public:
    /// Places in the text that matched, to be drawn bold.
    static constexpr int positionsRole = Qt::UserRole, detailRole = Qt::UserRole + 1;
    static constexpr int mostShown = 200;
    using QAbstractListModel::QAbstractListModel;

    void setEntries(std::vector<PaletteEntry> entries);
    /// Shows the best matches, best first; those of an empty pattern in their own order.
    void setPattern(const QString& pattern);
    const PaletteEntry& at(int row) const { return entries_[shown_[size_t(row)].entry]; }
    int matches() const { return matches_; } // shown or not

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Shown {
        size_t entry = 0;
        int score = 0;
        QList<int> positions;
    };
    std::vector<PaletteEntry> entries_;
    std::vector<Shown> shown_;
    int matches_ = 0;
};

} // namespace lathe::views::models
