// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/apply_model.h"

#include "views/models/counted.h"
#include "views/models/study_task_model.h"

#include <QStringList>

namespace lathe::views::models {

void ApplyModel::show(const StudyLog& log, const StudyEnd& end) {
    beginResetModel();
    rows_.clear();
    for (const StudyTask& task : log.tasks())
        if (const auto found = end.found.find(task.workload.toStdString()); found != end.found.end())
            rows_.push_back({task, found->second, found->second.inPlace != FoundSchedule::InPlace::TakenBack});
    endResetModel();
    emit changed();
}

void ApplyModel::setDecisions(const driver::Decisions& decisions) {
    decisions_ = decisions;
    if (!rows_.empty())
        emit dataChanged(index(0, Now), index(rowCount() - 1, Now));
    emit changed();
}

ApplyModel::State ApplyModel::stateOf(const Row& row) const {
    const auto decided = decisions_.kernels.find(row.task.workload.toStdString());
    if (decided == decisions_.kernels.end())
        return State::Default;
    return decided->second.trace == row.found.trace ? State::Same : State::Other;
}

ApplyModel::Changes ApplyModel::changes() const {
    Changes changes;
    for (const Row& row : rows_) {
        const State state = stateOf(row);
        changes.added += row.wanted && state == State::Default;
        changes.replaced += row.wanted && state == State::Other;
        changes.withdrawn += !row.wanted && state == State::Same;
    }
    return changes;
}

WhatIf ApplyModel::wish() const {
    std::map<std::string, std::optional<schedule::ScheduleTrace>> wanted;
    for (const Row& row : rows_)
        if (row.wanted || stateOf(row) == State::Same)
            wanted[row.task.workload.toStdString()] = row.wanted ? std::optional(row.found.trace) : std::nullopt;
    const Changes change = changes();
    const QString what =
        change.added + change.replaced == 0
            ? tr("withdrawing %1").arg(counted(change.withdrawn, "tuned schedule", "tuned schedules"))
            : tr("applying %1").arg(counted(change.added + change.replaced, "tuned schedule", "tuned schedules"));
    return {what, [wanted = std::move(wanted)](driver::Decisions& decisions) {
                for (const auto& [workload, trace] : wanted) {
                    decisions.kernels.erase(workload);
                    if (trace)
                        decisions.kernels[workload].trace = *trace;
                }
            }};
}

int ApplyModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int ApplyModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

Qt::ItemFlags ApplyModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() && index.column() == Kernel ? flags | Qt::ItemIsUserCheckable : flags;
}

bool ApplyModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::CheckStateRole || !index.isValid() || index.column() != Kernel)
        return false;
    rows_[size_t(index.row())].wanted = value.toInt() == Qt::Checked;
    emit dataChanged(index, index, {role});
    emit changed();
    return true;
}

QVariant ApplyModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= rows_.size())
        return {};
    const Row& row = rows_[size_t(index.row())];
    const int column = index.column();
    if (role == Qt::CheckStateRole && column == Kernel)
        return int(row.wanted ? Qt::Checked : Qt::Unchecked);
    if (role == Qt::TextAlignmentRole && (column == Gain || column == Saved))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case Kernel:
        return row.task.kernel;
    case Gain:
        return gainText(row.task.bestRatio);
    case Saved:
        return microText(row.task.calls * (row.task.defaultUs - row.task.bestUs));
    case Checked: // nothing becomes best without
        return tr("values agree");
    case InPlace:
        switch (row.found.inPlace) {
        case FoundSchedule::InPlace::Unknown:
            return tr("not held against the model yet");
        case FoundSchedule::InPlace::Kept:
            return tr("faster");
        case FoundSchedule::InPlace::TakenBack:
            return tr("not faster in the model");
        }
        return {};
    case Now:
        switch (stateOf(row)) {
        case State::Default:
            return tr("default");
        case State::Same:
            return tr("applied");
        case State::Other:
            return tr("another schedule");
        }
        return {};
    }
    return {};
}

QVariant ApplyModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= columns)
        return {};
    if (role == Qt::TextAlignmentRole && (section == Gain || section == Saved))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString names[] = {tr("Kernel"),  tr("Gain"),         tr("Saved µs a run"),
                             tr("Results"), tr("In the model"), tr("Decided now")};
    return names[section];
}

QString textOf(const ApplyModel::Changes& changes) {
    QStringList parts;
    if (changes.added)
        parts << ApplyModel::tr("%1 new").arg(changes.added);
    if (changes.replaced)
        parts << ApplyModel::tr("%1 replaced").arg(changes.replaced);
    if (changes.withdrawn)
        parts << ApplyModel::tr("%1 withdrawn").arg(changes.withdrawn);
    return parts.isEmpty() ? ApplyModel::tr("nothing changes") : parts.join(QStringLiteral(", "));
}

} // namespace lathe::views::models
