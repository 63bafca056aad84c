// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/profile/sweep_model.h"

#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"

#include <algorithm>

namespace lathe::views::models {

void SweepModel::show(inspect::Sweep sweep) {
    beginResetModel();
    sweep_ = std::move(sweep);
    endResetModel();
}

int SweepModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(sweep_.points.size());
}

int SweepModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant SweepModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= sweep_.points.size())
        return {};
    const inspect::SweepPoint& point = sweep_.points[size_t(index.row())];
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Size:
        return QString::number(point.size);
    case Median:
        return msText(point.medianMs);
    case Least:
        return msText(point.leastMs);
    case Half:
        return tr("%1 to %2").arg(msText(point.lowMs), msText(point.highMs));
    case Each:
        return msText(point.medianMs / double(point.size));
    case Runs:
        return QString::number(point.runs);
    }
    return {};
}

QVariant SweepModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    const QString names[] = {sweep_.name.empty() ? tr("Size") : oneLine(sweep_.name, longestNameInText),
                             tr("Median ms"),
                             tr("Least ms"),
                             tr("Half of the runs"),
                             tr("ms for each"),
                             tr("Runs")};
    return names[section];
}

QString summaryOf(const inspect::Sweep& sweep) {
    if (sweep.points.empty())
        return {};
    const auto [least, most] = std::ranges::minmax(sweep.points, {}, &inspect::SweepPoint::size);
    return SweepModel::tr(
               "%1 from %2 to %3 on %4: %5 ms to %6 ms a run, %7 ms to %8 ms for each. The line is the median, "
               "the band has half of the runs, the points are the fastest ones.")
        .arg(oneLine(sweep.name, longestNameInText), QString::number(least.size), QString::number(most.size),
             counted(sweep.threads, "thread", "threads"), msText(least.medianMs), msText(most.medianMs),
             msText(least.medianMs / double(least.size)), msText(most.medianMs / double(most.size)));
}

} // namespace lathe::views::models
