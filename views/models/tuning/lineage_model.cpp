// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/lineage_model.h"

#include "views/models/text/one_line.h"
#include "views/models/tuning/trial_model.h"

#include <algorithm>

namespace lathe::views::models {

std::vector<AnswerChange> changesBetween(const TrialSet& trials, int before, int after) {
    std::vector<AnswerChange> changes;
    for (size_t i = 0; i < trials.questions().size(); ++i) {
        const TrialSet::Question& question = trials.questions()[i];
        if (question.ofRow[size_t(before)] != question.ofRow[size_t(after)])
            changes.push_back({question.name, trials.answer(size_t(before), i), trials.answer(size_t(after), i)});
    }
    std::ranges::sort(changes, {}, &AnswerChange::name);
    return changes;
}

std::vector<LineageStep> lineageOf(const TrialSet& trials, int trial) {
    std::vector<LineageStep> steps;
    for (int at = trial; at >= 0; at = trials[size_t(at)].parent) { // a parent is a row before its child
        LineageStep step{at, trials[size_t(at)].parent, {}, unknown};
        if (step.from < 0 && at > 0)
            step.from = 0;
        if (step.from >= 0) {
            step.changes = changesBetween(trials, step.from, at);
            step.gain = 1 - trials[size_t(at)].ratio / trials[size_t(step.from)].ratio;
        }
        steps.push_back(std::move(step));
    }
    std::ranges::reverse(steps);
    return steps;
}

QString textOf(const std::vector<AnswerChange>& changes) {
    const auto shown = [](const std::vector<int64_t>& answer) {
        return answer.empty() ? QStringLiteral("–") : QString::fromStdString(textOf(answer));
    };
    QStringList texts;
    for (const AnswerChange& change : changes)
        texts << QStringLiteral("%1 %2 → %3").arg(oneLine(change.name), shown(change.before), shown(change.after));
    return texts.join(QStringLiteral(", "));
}

void LineageModel::show(std::shared_ptr<const TrialSet> trials, int trial) {
    beginResetModel();
    trials_ = std::move(trials);
    steps_ = trial >= 0 ? lineageOf(*trials_, trial) : std::vector<LineageStep>();
    endResetModel();
}

int LineageModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(steps_.size());
}

int LineageModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant LineageModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= steps_.size())
        return {};
    const LineageStep& step = steps_[size_t(index.row())];
    const TrialRow& row = (*trials_)[size_t(step.trial)];
    if (role == Qt::ToolTipRole)
        return textOf(*trials_, step.trial);
    if (role == Qt::TextAlignmentRole && index.column() != Made && index.column() != Changed)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Trial:
        return step.trial == trials_->best() ? QStringLiteral("★ %1").arg(step.trial) : QString::number(step.trial);
    case Made:
        return QLatin1String(toString(row.made));
    case Changed:
        return step.from < 0             ? tr("the default schedule")
               : step.changes.empty()    ? tr("no answer")
               : step.from == row.parent ? textOf(step.changes)
                                         : tr("against the default: %1").arg(textOf(step.changes));
    case Us:
        return usText(row.us);
    case Ratio:
        return ratioText(row.ratio);
    case Gain:
        return std::isnan(step.gain)
                   ? QString()
                   : QStringLiteral("%1%2 %").arg(step.gain > 0 ? "+" : "").arg(100 * step.gain, 0, 'f', 1);
    }
    return {};
}

QVariant LineageModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columns)
        return {};
    if (role == Qt::TextAlignmentRole && section != Made && section != Changed)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    const QString names[] = {tr("Trial"), tr("Made"), tr("What it changed"), tr("µs"), tr("Ratio"), tr("Gain")};
    return role == Qt::DisplayRole ? names[section] : QVariant();
}

} // namespace lathe::views::models
