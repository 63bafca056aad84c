// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/pass_model.h"

#include <QColor>
#include <QFont>
#include <algorithm>

namespace lathe::views::models {

std::vector<PassRow> passRows(const driver::Trace& trace) {
    std::vector<PassRow> rows;
    qlonglong before = 0;
    for (const driver::PassRecord& pass : trace.passes) {
        PassRow row;
        row.index = int(rows.size());
        row.name = QString::fromStdString(pass.name);
        const std::string_view stage = toString(pass.stage);
        row.stage = QString::fromUtf8(stage.data(), qsizetype(stage.size()));
        row.required = pass.required;
        row.enabled = pass.enabled;
        row.ran = pass.ran;
        row.changed = pass.changed;
        row.failed = std::any_of(pass.diagnostics.begin(), pass.diagnostics.end(),
                                 [](const Diagnostic& d) { return d.severity == Severity::Error; });
        row.ms = pass.ms;
        row.bindings = pass.bindings.value_or(0);
        row.delta = before && row.bindings ? row.bindings - before : 0;
        if (row.bindings)
            before = row.bindings;
        rows.push_back(row);
    }
    return rows;
}

void PassModel::show(std::vector<PassRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    choose();
    endResetModel();
}

void PassModel::setOnlyChanged(bool only) {
    beginResetModel();
    onlyChanged_ = only;
    choose();
    endResetModel();
}

void PassModel::choose() {
    shown_.clear();
    for (size_t i = 0; i < rows_.size(); ++i)
        if (!onlyChanged_ || rows_[i].changed || rows_[i].failed)
            shown_.push_back(i);
}

QString PassModel::lastOptional(int row) const {
    for (size_t i = shown_[size_t(row)] + 1; i-- > 0;)
        if (!rows_[i].required)
            return rows_[i].name;
    return {};
}

int PassModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(shown_.size());
}

int PassModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant PassModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= shown_.size())
        return {};
    const PassRow& row = at(index.row());
    if (role == Qt::DisplayRole) {
        switch (index.column()) {
        case Name:
            return row.name;
        case Stage:
            return row.stage;
        case Changed:
            if (row.failed)
                return tr("failed");
            if (!row.enabled)
                return tr("off");
            return !row.ran ? tr("not run") : row.changed ? tr("changed") : QStringLiteral("–");
        case Bindings:
            if (!row.bindings)
                return {};
            return row.delta
                       ? QStringLiteral("%1  (%2%3)").arg(row.bindings).arg(row.delta > 0 ? "+" : "").arg(row.delta)
                       : QString::number(row.bindings);
        case Time:
            return QString::number(row.ms, 'f', row.ms < 10 ? 2 : 0);
        }
    }
    if (role == Qt::TextAlignmentRole && index.column() >= Bindings)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::FontRole) {
        QFont font;
        font.setBold(row.changed && index.column() == Name);
        font.setStrikeOut(!row.enabled && index.column() == Name);
        return font;
    }
    if (role == Qt::ForegroundRole && row.failed)
        return QColor(0xd0, 0x40, 0x40);
    if (role == Qt::ToolTipRole)
        return row.required ? tr("required pass") : tr("optional pass");
    return {};
}

QVariant PassModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole && section >= Bindings)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    const QString names[] = {tr("Pass"), tr("Stage"), tr("Effect"), tr("Bindings"), tr("ms")};
    return names[section];
}

} // namespace lathe::views::models
