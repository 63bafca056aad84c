// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/failure_model.h"

#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/models/tuning/trial_filter.h"

#include <algorithm>
#include <map>

namespace lathe::views::models {

std::vector<FailureKind> failuresOf(const TrialSet& trials) {
    std::vector<std::string> lines; // of each message
    for (const std::string& message : trials.messages())
        lines.push_back(message.substr(0, message.find('\n')));
    std::map<std::pair<tune::Verdict, std::string_view>, FailureKind> kinds;
    for (size_t i = 0; i < trials.size(); ++i) {
        const TrialRow& row = trials[i];
        if (row.verdict == tune::Verdict::Measured || row.verdict == tune::Verdict::Slow)
            continue;
        const std::string& line = lines[size_t(row.message)];
        FailureKind& kind =
            kinds.try_emplace({row.verdict, line}, FailureKind{row.verdict, line, 0, int(i)}).first->second;
        ++kind.count;
    }
    std::vector<FailureKind> result;
    for (auto& [name, kind] : kinds)
        result.push_back(std::move(kind));
    std::ranges::stable_sort(result, std::ranges::greater(), &FailureKind::count);
    return result;
}

void FailureModel::show(const TrialSet& trials) {
    beginResetModel();
    kinds_ = failuresOf(trials);
    trials_ = trials.size();
    failed_ = 0;
    for (const FailureKind& kind : kinds_)
        failed_ += kind.count;
    endResetModel();
}

QString FailureModel::filterOf(int row) const {
    constexpr qsizetype most = 120; // letters of a reason
    const FailureKind& kind = at(row);
    QString filter = QStringLiteral("verdict:") + quoted(QLatin1String(toString(kind.verdict)));
    const QString words = QString::fromStdString(kind.reason).left(most).trimmed();
    return words.isEmpty() ? filter : filter + ' ' + quoted(words);
}

int FailureModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(kinds_.size());
}

int FailureModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant FailureModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= kinds_.size())
        return {};
    const FailureKind& kind = kinds_[size_t(index.row())];
    if (role == shareRole && index.column() == Share)
        return double(kind.count) / double(kinds_.front().count);
    if (role == Qt::ToolTipRole)
        return QString::fromStdString(kind.reason);
    if (role == Qt::TextAlignmentRole && index.column() == Count)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Verdict:
        return QLatin1String(toString(kind.verdict));
    case Reason:
        return oneLine(kind.reason);
    case Count:
        return grouped(qint64(kind.count));
    case Share:
        return tr("%1 % of all").arg(100 * double(kind.count) / double(trials_), 0, 'f', 1);
    }
    return {};
}

QVariant FailureModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columns)
        return {};
    if (role == Qt::TextAlignmentRole && section == Count)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    const QString names[] = {tr("Verdict"), tr("First line of the reason"), tr("Trials"), tr("Share")};
    return role == Qt::DisplayRole ? names[section] : QVariant();
}

} // namespace lathe::views::models
