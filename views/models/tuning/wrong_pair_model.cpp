// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/wrong_pair_model.h"

#include "views/models/tuning/lineage_model.h"
#include "views/models/tuning/trial_model.h"

namespace lathe::views::models {

void WrongPairModel::show(std::shared_ptr<const TrialSet> trials, tune::Opinion opinion) {
    auto pairs = trials ? worstPairs(*trials, opinion) : std::vector<WrongPair>();
    if (trials == trials_ && opinion == opinion_ && pairs == pairs_)
        return; // whoever has picked one keeps it
    beginResetModel();
    trials_ = std::move(trials);
    opinion_ = opinion;
    pairs_ = std::move(pairs);
    endResetModel();
}

int WrongPairModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(pairs_.size());
}

int WrongPairModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant WrongPairModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= pairs_.size())
        return {};
    const WrongPair& pair = pairs_[size_t(index.row())];
    const auto scoreText = [&](int trial) {
        const TrialRow& row = (*trials_)[size_t(trial)];
        return opinion_ == tune::Opinion::Prior ? tr("%1 µs").arg(usText(row.prior)) : ratioText(row.predicted);
    };
    if (role == Qt::ToolTipRole)
        return textOf(*trials_, pair.faster) + QStringLiteral("\n\n") + textOf(*trials_, pair.slower);
    if (role == Qt::TextAlignmentRole && index.column() != Differs)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Factor:
        return QString::number(pair.factor, 'f', 2);
    case Faster:
        return pair.faster;
    case Slower:
        return pair.slower;
    case Round:
        return pair.round;
    case ScoreOfFaster:
        return scoreText(pair.faster);
    case ScoreOfSlower:
        return scoreText(pair.slower);
    case Differs:
        return textOf(changesBetween(*trials_, pair.faster, pair.slower));
    }
    return {};
}

QVariant WrongPairModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columns)
        return {};
    if (role == Qt::TextAlignmentRole && section != Differs)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    const QString names[] = {tr("Times slower"),
                             tr("Faster"),
                             tr("Slower"),
                             tr("Round"),
                             tr("Expected of faster"),
                             tr("Expected of slower"),
                             tr("Answers of the faster → the slower")};
    return role == Qt::DisplayRole ? names[section] : QVariant();
}

} // namespace lathe::views::models
