// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/check/check_model.h"

#include "views/models/text/counted.h"

#include <QFont>
#include <cmath>

namespace lathe::views::models {

namespace {

using diagnose::CheckRow;
using diagnose::CheckState;

/// What matters most comes last in ascending order.
int weightOf(const CheckRow& row) {
    return row.first ? 3 : row.state == CheckState::Diverges ? 2 : row.state == CheckState::Within ? 1 : 0;
}

QString typeOf(const CheckRow& row) {
    QStringList dims;
    for (const int64_t dim : row.shape)
        dims << QString::number(dim);
    return QStringLiteral("%1[%2]").arg(QString::fromStdString(toString(row.dtype)), dims.join(','));
}

QString whereOf(const CheckRow& row) {
    QStringList parts;
    if (row.comparison.worst >= 0)
        parts << CheckModel::tr("%1: %2, expected %3")
                     .arg(QString::fromStdString(data::indexText(row.shape, row.comparison.worst)),
                          QString::number(row.comparison.got, 'g', 7),
                          QString::number(row.comparison.expected, 'g', 7));
    else if (row.state == CheckState::Diverges)
        parts << QString::fromStdString(row.why);
    if (const std::string odd = data::notFiniteText(row.comparison); !odd.empty())
        parts << QString::fromStdString(odd);
    return parts.join(QStringLiteral("; "));
}

QString stateOf(const CheckRow& row) {
    const QString states[] = {CheckModel::tr("not compared"), CheckModel::tr("within"), CheckModel::tr("diverges"),
                              CheckModel::tr("diverges first")};
    return states[weightOf(row)];
}

QVariant displayOf(const CheckRow& row, int column) {
    switch (column) {
    case CheckModel::State:
        return stateOf(row);
    case CheckModel::Value:
        return QString::fromStdString(row.value);
    case CheckModel::Where:
        return row.state == CheckState::NotCompared ? QString::fromStdString(row.why) : whereOf(row);
    default:
        break;
    }
    if (row.state == CheckState::NotCompared)
        return {};
    switch (column) {
    case CheckModel::Error:
        return errorText(row.comparison.largest);
    case CheckModel::OfLimit:
        return errorText(row.comparison.ofLimit);
    case CheckModel::Beyond:
        return grouped(row.comparison.beyond);
    default:
        return typeOf(row);
    }
}

QVariant sortValueOf(const CheckRow& row, int column) {
    const bool isCompared = row.state != CheckState::NotCompared;
    switch (column) {
    case CheckModel::State:
        return weightOf(row);
    case CheckModel::Error:
        return isCompared ? row.comparison.largest : -1;
    case CheckModel::OfLimit:
        return isCompared ? row.comparison.ofLimit : -1;
    case CheckModel::Beyond:
        return isCompared ? qlonglong(row.comparison.beyond) : -1;
    default:
        return displayOf(row, column);
    }
}

} // namespace

QString errorText(double error) {
    if (std::isinf(error))
        return QStringLiteral("∞");
    return error >= 100 && error < 1e9 ? grouped(std::llround(error)) : QString::number(error, 'g', 2);
}

void CheckModel::show(CheckPtr check) {
    beginResetModel();
    check_ = std::move(check);
    endResetModel();
}

std::vector<int> CheckModel::first() const {
    std::vector<int> rows;
    for (int row = 0; row < rowCount(); ++row)
        if (at(row).first)
            rows.push_back(row);
    return rows;
}

int CheckModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !check_ ? 0 : int(check_->rows.size());
}

int CheckModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant CheckModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const CheckRow& row = at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return displayOf(row, index.column());
    case sortRole:
        return sortValueOf(row, index.column());
    case comparedRole:
        return row.state == CheckState::NotCompared ? QStringLiteral("no") : QStringLiteral("yes");
    case Qt::TextAlignmentRole:
        if (index.column() >= Error && index.column() <= Beyond)
            return int(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    case Qt::FontRole: {
        QFont font;
        font.setBold(row.first);
        return row.state == CheckState::Diverges ? font : QVariant();
    }
    case Qt::ToolTipRole: {
        QStringList lines{QString::fromStdString(row.value), stateOf(row)};
        if (!row.why.empty())
            lines << QString::fromStdString(row.why);
        return lines.join('\n');
    }
    default:
        return {};
    }
}

QVariant CheckModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= columns)
        return {};
    if (role == Qt::TextAlignmentRole && section >= Error && section <= Beyond)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    const QString names[] = {tr("State"),           tr("Value"),         tr("Error"), tr("Of the tolerance"),
                             tr("Elements beyond"), tr("Worst element"), tr("Type")};
    const QString hints[] = {{},
                             tr("The model's name of it"),
                             tr("The largest difference of an element"),
                             tr("The largest share of what an element may differ by; more than 1 is wrong"),
                             tr("Elements that differ by more than the tolerance"),
                             tr("Where the share is largest; or why the value is not compared"),
                             {}};
    return role == Qt::DisplayRole ? names[section] : role == Qt::ToolTipRole ? QVariant(hints[section]) : QVariant();
}

} // namespace lathe::views::models
