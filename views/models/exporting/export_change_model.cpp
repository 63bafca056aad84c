// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/exporting/export_change_model.h"

#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/models/text/plain_tip.h"

namespace lathe::views::models {

void ExportChangeModel::clear() {
    beginResetModel();
    rows_.clear();
    endResetModel();
}

void ExportChangeModel::show(const ExportEnd& before, const ExportEnd& after, const QList<ExportChange>& changes) {
    beginResetModel();
    rows_.clear();
    const auto ms = [](double value) { return value > 0 ? tr("%1 ms").arg(msText(value)) : tr("not measured"); };
    const auto bytes = [](double value) { return value > 0 ? grouped(qint64(value)) : tr("not measured"); };
    const auto add = [&](const QString& what, double was, double is, const auto& text) {
        if (was <= 0 && is <= 0)
            return;
        const double percent = 100 * (is - was) / was;
        rows_ << Row{
            what, text(was), text(is),
            was > 0 && is > 0
                ? QStringLiteral("%1%2 %").arg(percent > 0 ? QStringLiteral("+") : QString()).arg(percent, 0, 'f', 1)
                : QString()};
    };
    add(tr("Size, bytes"), double(before.bytes), double(after.bytes), bytes);
    if (before.threads != after.threads) {
        const auto threads = [](int count) { return count > 0 ? QString::number(count) : tr("not known"); };
        rows_ << Row{tr("Threads of the runs"), threads(before.threads), threads(after.threads), {}};
    }
    add(tr("Load"), before.loadMs, after.loadMs, ms);
    add(tr("First run"), before.firstMs, after.firstMs, ms);
    add(tr("Median of a run"), before.p50Ms, after.p50Ms, ms);
    add(tr("90 of 100 runs"), before.p90Ms, after.p90Ms, ms);
    add(tr("99 of 100 runs"), before.p99Ms, after.p99Ms, ms);
    add(tr("Memory at the peak, bytes"), double(before.residentBytes), double(after.residentBytes), bytes);
    for (const ExportChange& change : changes)
        rows_ << Row{change.what,
                     change.before.isEmpty() ? tr("none") : change.before,
                     change.after.isEmpty() ? tr("none") : change.after,
                     {}};
    endResetModel();
}

int ExportChangeModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int ExportChangeModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QVariant ExportChangeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rows_.size())
        return {};
    const Row& row = rows_[index.row()];
    const QString* texts[] = {&row.what, &row.before, &row.after, &row.change};
    const QString& text = *texts[index.column()];
    switch (role) {
    case Qt::DisplayRole:
        return oneLine(text);
    case Qt::ToolTipRole:
        return plainTip(text);
    default:
        return {};
    }
}

QVariant ExportChangeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    const QString names[] = {tr("What"), tr("Before"), tr("After"), tr("Change")};
    return names[section];
}

} // namespace lathe::views::models
