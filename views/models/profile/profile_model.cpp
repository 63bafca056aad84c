// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/profile/profile_model.h"

#include "views/models/text/counted.h"

namespace lathe::views::models {

namespace {

QString nodesOf(const inspect::ProfileRow& row) {
    QStringList names;
    for (const std::string& origin : row.origins)
        names << QString::fromStdString(origin).split(QStringLiteral(", "));
    names.removeDuplicates(); // a node stands in each origin that it has a part in
    return names.join(QStringLiteral(", "));
}

} // namespace

void ProfileModel::show(inspect::Profile profile) {
    beginResetModel();
    profile_ = std::move(profile);
    endResetModel();
}

int ProfileModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(profile_.rows.size());
}

int ProfileModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant ProfileModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= profile_.rows.size())
        return {};
    const inspect::ProfileRow& row = at(index.row());
    auto rate = [](double value) { return value > 0 ? QString::number(value, 'f', value < 10 ? 2 : 1) : QString(); };
    if (role == Qt::DisplayRole) {
        switch (index.column()) {
        case Function:
            return QString::fromStdString(row.function);
        case Time:
            return msText(row.ms);
        case Share:
            return QString::number(100 * row.share, 'f', 1) + " %";
        case Gflops:
            return rate(row.gflops());
        case Gbs:
            return rate(row.gbs());
        case Nodes:
            return nodesOf(row);
        }
    }
    if (role == sortRole) {
        switch (index.column()) {
        case Time:
        case Share:
            return row.ms;
        case Gflops:
            return row.gflops();
        case Gbs:
            return row.gbs();
        default:
            return data(index, Qt::DisplayRole);
        }
    }
    if (role == shareRole && index.column() == Share)
        return row.ms > 0 ? row.ms / profile_.rows.front().ms : 0;
    if (role == Qt::TextAlignmentRole && index.column() >= Time && index.column() <= Gbs)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return tr("%1\nkernel %2\n%3")
            .arg(QString::fromStdString(row.function), QString::fromStdString(row.kernel), nodesOf(row));
    return {};
}

QVariant ProfileModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole && section >= Time && section <= Gbs)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    const QString names[] = {tr("Fused function"), tr("ms"), tr("Share"), tr("GFLOP/s"), tr("GB/s"), tr("Model nodes")};
    return names[section];
}

} // namespace lathe::views::models
