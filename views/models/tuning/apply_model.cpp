// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/apply_model.h"

#include "views/models/text/counted.h"
#include "views/models/tuning/study_task_model.h"

#include <QStringList>
#include <algorithm>
#include <iterator>
#include <set>

namespace lathe::views::models {

void ApplyModel::show(const StudyLog& log, const StudyEnd& end) {
    beginResetModel();
    rows_.clear();
    graph_ = end.graph;
    graphWanted_ = true;
    for (const StudyTask& task : log.tasks())
        if (const auto found = end.found.find(task.workload.toStdString()); found != end.found.end())
            rows_.push_back({task, found->second, found->second.inPlace != FoundSchedule::InPlace::TakenBack});
    endResetModel();
    emit changed();
}

void ApplyModel::setDecisions(const driver::Decisions& decisions) {
    decisions_ = decisions;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columns - 1));
    emit changed();
}

void ApplyModel::setWorkloads(std::set<std::string> workloads) {
    workloads_ = std::move(workloads);
    setDecisions(decisions_);
}

bool ApplyModel::isPossible(const Row& row) const {
    const std::string workload = row.task.workload.toStdString();
    if (graph_)
        return (graphWanted_ ? graph_->workloads : graph_->workloadsBefore).contains(workload);
    return workloads_.empty() || workloads_.contains(workload);
}

ApplyModel::State ApplyModel::stateOfGraph() const {
    const FoundGraph::Choices now = choicesOf(decisions_);
    return now == graph_->found ? State::Same : now == graph_->before ? State::Default : State::Other;
}

ApplyModel::State ApplyModel::stateOf(const Row& row) const {
    const auto decided = decisions_.kernels.find(row.task.workload.toStdString());
    if (decided == decisions_.kernels.end())
        return State::Default;
    return decided->second.trace == row.found.trace ? State::Same : State::Other;
}

ApplyModel::Changes ApplyModel::changes() const {
    Changes changes;
    const auto count = [&](bool wanted, State state) {
        changes.added += wanted && state == State::Default;
        changes.replaced += wanted && state == State::Other;
        changes.withdrawn += !wanted && state == State::Same;
    };
    if (graph_)
        count(graphWanted_, stateOfGraph());
    for (const Row& row : rows_)
        count(isWanted(row), stateOf(row));
    return changes;
}

WhatIf ApplyModel::wish() const {
    std::map<std::string, std::optional<schedule::ScheduleTrace>> wanted;
    for (const Row& row : rows_)
        if (isWanted(row) || stateOf(row) == State::Same)
            wanted[row.task.workload.toStdString()] = isWanted(row) ? std::optional(row.found.trace) : std::nullopt;
    std::optional<FoundGraph::Choices> choices;
    if (graph_ && (graphWanted_ || stateOfGraph() == State::Same))
        choices = graphWanted_ ? graph_->found : graph_->before;
    // Kernels that the model has no more, whoever decided their schedules: it would be refused with these.
    std::set<std::string> gone;
    if (choices) {
        const auto& there = graphWanted_ ? graph_->workloads : graph_->workloadsBefore;
        const auto& other = graphWanted_ ? graph_->workloadsBefore : graph_->workloads;
        std::ranges::set_difference(other, there, std::inserter(gone, gone.end()));
    }
    const Changes change = changes();
    const QString what =
        change.added + change.replaced == 0
            ? tr("withdrawing %1").arg(counted(change.withdrawn, "tuned choice", "tuned choices"))
            : tr("applying %1").arg(counted(change.added + change.replaced, "tuned choice", "tuned choices"));
    return {what, [wanted = std::move(wanted), choices = std::move(choices),
                   gone = std::move(gone)](driver::Decisions& decisions) {
                if (choices) {
                    decisions.variants = choices->variants;
                    decisions.layouts = choices->layouts;
                    decisions.apart = choices->apart;
                }
                for (const std::string& workload : gone)
                    decisions.kernels.erase(workload);
                for (const auto& [workload, trace] : wanted) {
                    decisions.kernels.erase(workload);
                    if (trace)
                        decisions.kernels[workload].trace = *trace;
                }
            }};
}

int ApplyModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : firstSchedule() + int(rows_.size());
}

int ApplyModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

Qt::ItemFlags ApplyModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid())
        return flags;
    if (index.row() >= firstSchedule() && !isPossible(rows_[size_t(index.row() - firstSchedule())]))
        return flags & ~Qt::ItemIsEnabled;
    return index.column() == Kernel ? flags | Qt::ItemIsUserCheckable : flags;
}

bool ApplyModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::CheckStateRole || !index.isValid() || index.column() != Kernel)
        return false;
    const bool wanted = value.toInt() == Qt::Checked;
    if (index.row() >= firstSchedule()) {
        rows_[size_t(index.row() - firstSchedule())].wanted = wanted;
        emit dataChanged(index, index, {role});
    } else { // and with it which kernels there are
        graphWanted_ = wanted;
        emit dataChanged(this->index(0, 0), this->index(rowCount() - 1, columns - 1));
    }
    emit changed();
    return true;
}

QVariant ApplyModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const int column = index.column();
    if (index.row() < firstSchedule())
        return graphData(column, role);
    const Row& row = rows_[size_t(index.row() - firstSchedule())];
    if (role == Qt::CheckStateRole && column == Kernel)
        return int(isWanted(row) ? Qt::Checked : Qt::Unchecked);
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
            return tr("kept: not slower");
        case FoundSchedule::InPlace::TakenBack:
            return tr("not faster in the model");
        }
        return {};
    case Now:
        if (!isPossible(row))
            return tr("not in the model");
        return textOf(stateOf(row), tr("another schedule"));
    }
    return {};
}

QString ApplyModel::textOf(State state, const QString& other) {
    switch (state) {
    case State::Default:
        return tr("default");
    case State::Same:
        return tr("applied");
    case State::Other:
        return other;
    }
    return {};
}

/// The row of variants, layouts and fusion.
QVariant ApplyModel::graphData(int column, int role) const {
    if (role == Qt::CheckStateRole && column == Kernel)
        return int(graphWanted_ ? Qt::Checked : Qt::Unchecked);
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case Kernel:
        return tr("Variants, layouts and fusion");
    case InPlace: // of two paired tests of the whole model
        return tr("faster");
    case Now:
        return textOf(stateOfGraph(), tr("other choices"));
    default:
        return {};
    }
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
