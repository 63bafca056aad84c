// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/exporting/export_list_model.h"

#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/models/text/plain_tip.h"
#include "views/models/text/shown_path.h"

#include <QDateTime>
#include <QFileInfo>
#include <QSet>
#include <ranges>

namespace lathe::views::models {
namespace {

bool isFigure(int column) {
    return column >= ExportListModel::Size && column <= ExportListModel::Memory;
}

/// "✓ right: x86-64-v3; not run: aarch64-cortex-a72".
QString outcomesOf(const QList<ExportedTarget>& targets) {
    QStringList outcomes;
    for (const auto& [outcome, text] :
         {std::pair("right", ExportListModel::tr("✓ right: %1")), std::pair("loads", ExportListModel::tr("loads: %1")),
          std::pair("not run", ExportListModel::tr("not run: %1"))}) {
        QStringList names;
        for (const ExportedTarget& each : targets)
            if (each.outcome == QLatin1String(outcome))
                names << each.target;
        if (!names.isEmpty())
            outcomes << text.arg(names.join(QStringLiteral(", ")));
    }
    return outcomes.join(QStringLiteral("; "));
}

QString foundOf(const ExportEnd& end) {
    switch (verdictOf(end)) {
    case ExportVerdict::NotChecked:
        return ExportListModel::tr("not checked");
    case ExportVerdict::NotGood:
        return ExportListModel::tr("✗ not good");
    case ExportVerdict::Whole:
        return ExportListModel::tr("✓ whole");
    case ExportVerdict::Loads:
        return ExportListModel::tr("✓ loads");
    case ExportVerdict::RightInPart:
        return outcomesOf(end.targets);
    case ExportVerdict::Right:
        break;
    }
    return ExportListModel::tr("✓ right");
}

/// Each target on a line, and what is wrong.
QString detailsOf(const ExportEnd& end) {
    QStringList lines;
    for (const ExportedTarget& each : end.targets)
        lines << QStringLiteral("%1: %2").arg(each.target, textOf(each));
    return (lines + end.problems).join('\n');
}

QString stateOf(const ExportEnd& end, ExportListModel::Whereabouts whereabouts) {
    const QString found = foundOf(end);
    switch (whereabouts) {
    case ExportListModel::Whereabouts::Replaced:
        return ExportListModel::tr("%1; replaced").arg(found);
    case ExportListModel::Whereabouts::Gone:
        return ExportListModel::tr("%1; not there any more").arg(found);
    default:
        return found;
    }
}

} // namespace

void ExportListModel::show(const QList<KeptExport>& exports) {
    beginResetModel();
    exports_ = exports;
    whereabouts_.clear();
    QSet<QString> taken; // by later ones
    for (const KeptExport& each : exports_ | std::views::reverse) {
        whereabouts_.prepend(taken.contains(each.end.out)      ? Whereabouts::Replaced
                             : QFileInfo::exists(each.end.out) ? Whereabouts::There
                                                               : Whereabouts::Gone);
        taken.insert(each.end.out);
    }
    endResetModel();
}

void ExportListModel::look() {
    show(QList<KeptExport>(exports_));
}

void ExportListModel::add(const KeptExport& made) {
    QList<KeptExport> exports = exports_;
    exports << made;
    show(exports.last(std::min(exports.size(), mostExports)));
}

void ExportListModel::setEnd(const ExportEnd& end) {
    if (exports_.isEmpty())
        return;
    exports_.last().end = end;
    emit dataChanged(index(0, 0), index(0, columns - 1));
}

void ExportListModel::remove(int row) {
    if (row < 0 || row >= exports_.size())
        return;
    beginRemoveRows({}, row, row);
    exports_.removeAt(exports_.size() - 1 - row);
    whereabouts_.removeAt(whereabouts_.size() - 1 - row);
    endRemoveRows();
}

int ExportListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(exports_.size());
}

int ExportListModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QVariant ExportListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= exports_.size())
        return {};
    const KeptExport& each = at(index.row());
    if (role == Qt::TextAlignmentRole)
        return int((isFigure(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && index.column() == Place)
        return plainTip(each.end.out);
    if (role == Qt::ToolTipRole && index.column() == State)
        return plainTip(detailsOf(each.end));
    if (role != Qt::DisplayRole)
        return {};
    const auto ms = [](double value) { return value > 0 ? tr("%1 ms").arg(msText(value)) : QString(); };
    const auto mb = [](qint64 bytes) {
        return bytes > 0 ? tr("%1 MB").arg(double(bytes) / 1e6, 0, 'f', 1) : QString();
    };
    switch (index.column()) {
    case Name:
        return oneLine(QStringLiteral("%1 %2").arg(each.request.name, each.request.version), longestNameInText);
    case Made:
        return QDateTime::fromSecsSinceEpoch(each.time).toString(QStringLiteral("yyyy-MM-dd HH:mm"));
    case Targets:
        return oneLine(each.request.targets.join(QStringLiteral(", ")), longestNameInText);
    case Size:
        return mb(each.end.bytes);
    case Threads:
        return each.end.threads > 0 ? QString::number(each.end.threads) : QString();
    case Median:
        return ms(each.end.p50Ms);
    case Slowest:
        return ms(each.end.p99Ms);
    case Memory:
        return mb(each.end.residentBytes);
    case State:
        return oneLine(stateOf(each.end, whereabouts(index.row())));
    default:
        return oneLine(shownPath(each.end.out));
    }
}

QVariant ExportListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= columns)
        return {};
    if (role == Qt::TextAlignmentRole && isFigure(section))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    const QString names[] = {tr("Bundle"), tr("Made"),           tr("Targets"), tr("Size"),  tr("Threads"),
                             tr("Median"), tr("99 of 100 runs"), tr("Memory"),  tr("State"), tr("Place")};
    return role == Qt::DisplayRole ? names[section] : QVariant();
}

} // namespace lathe::views::models
