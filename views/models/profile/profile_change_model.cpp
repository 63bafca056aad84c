// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/profile/profile_change_model.h"

#include "views/models/text/counted.h"

#include <QFont>
#include <cmath>

namespace lathe::views::models {

namespace {

QString functionsOf(const inspect::Profile& profile, const std::vector<int>& rows) {
    QStringList names;
    for (const int row : rows)
        names << QString::fromStdString(profile.rows[size_t(row)].function);
    return names.join(", ");
}

} // namespace

void ProfileChangeModel::show(inspect::Profile before, inspect::Profile after) {
    beginResetModel();
    before_ = std::move(before);
    after_ = std::move(after);
    changes_ = inspect::changesOf(before_, after_);
    endResetModel();
}

int ProfileChangeModel::callOf(int row) const {
    const std::vector<int>& rows = at(row).after;
    return rows.size() == 1 ? after_.rows[size_t(rows.front())].call : -1;
}

int ProfileChangeModel::homeOf(int row) const {
    const inspect::ProfileChange& change = at(row);
    return change.after.empty() ? before_.rows[size_t(change.before.front())].home
                                : after_.rows[size_t(change.after.front())].home;
}

int ProfileChangeModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(changes_.size());
}

int ProfileChangeModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant ProfileChangeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= changes_.size())
        return {};
    const inspect::ProfileChange& change = at(index.row());
    const double difference = change.differenceMs();
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Before:
            return change.before.empty() ? QStringLiteral("–") : functionsOf(before_, change.before);
        case After:
            return change.after.empty() ? QStringLiteral("–") : functionsOf(after_, change.after);
        case BeforeTime:
            return change.before.empty() ? QString() : msText(change.beforeMs);
        case AfterTime:
            return change.after.empty() ? QString() : msText(change.afterMs);
        case Difference:
            return (difference > 0 ? QStringLiteral("+") : QString()) + msText(difference);
        case Noise:
            if (change.before.empty()) // no other to be faster or slower than
                return tr("only now");
            if (change.after.empty())
                return tr("only before");
            return change.beyondNoise() ? (difference < 0 ? tr("faster") : tr("slower"))
                                        : tr("within ±%1").arg(msText(change.noiseMs));
        }
        return {};
    case sortRole:
        switch (index.column()) {
        case BeforeTime:
            return change.beforeMs;
        case AfterTime:
            return change.afterMs;
        case Difference:
            return difference;
        case Noise:
            return std::abs(difference) - change.noiseMs;
        default:
            return data(index, Qt::DisplayRole);
        }
    case Qt::FontRole: {
        QFont font;
        font.setBold(index.column() == Noise && change.beyondNoise() && !change.before.empty() &&
                     !change.after.empty());
        return font;
    }
    case Qt::TextAlignmentRole:
        return index.column() >= BeforeTime && index.column() <= Difference ? int(Qt::AlignRight | Qt::AlignVCenter)
                                                                            : int(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return index.column() <= After ? data(index, Qt::DisplayRole) : QVariant();
    default:
        return {};
    }
}

QVariant ProfileChangeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole && section >= BeforeTime &&
        section <= Difference)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    const QString names[] = {tr("Functions before"), tr("Functions now"), tr("ms before"),
                             tr("ms now"),           tr("Difference"),    tr("Beyond the noise?")};
    return names[section];
}

} // namespace lathe::views::models
