// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/study_task_model.h"

#include "views/models/text/counted.h"

#include <utility>

namespace lathe::views::models {

StudyTaskModel::StudyTaskModel(const StudyLog& log, QObject* parent) : QAbstractTableModel(parent), log_(log) {
    connect(&log, &StudyLog::begun, this, &StudyTaskModel::follow);
    connect(&log, &StudyLog::grown, this, &StudyTaskModel::follow);
}

void StudyTaskModel::setRunning(bool runs) {
    if (std::exchange(runs_, runs) != runs && !tasks_.empty())
        emit dataChanged(index(0, State), index(rowCount() - 1, State));
}

void StudyTaskModel::setNodes(std::vector<int> nodes) {
    nodes_ = std::move(nodes);
    if (!tasks_.empty())
        emit dataChanged(index(0, Nodes), index(rowCount() - 1, Nodes));
}

void StudyTaskModel::follow() {
    if (tasks_.size() != log_.tasks().size()) {
        beginResetModel();
        tasks_ = log_.tasks();
        endResetModel();
        return;
    }
    for (size_t i = 0; i < tasks_.size(); ++i) {
        if (tasks_[i] == log_.tasks()[i])
            continue;
        tasks_[i] = log_.tasks()[i];
        emit dataChanged(index(int(i), 0), index(int(i), columns - 1));
    }
}

int StudyTaskModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(tasks_.size());
}

int StudyTaskModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

/// What a column is sorted by.
QVariant StudyTaskModel::numberAt(const StudyTask& task, int row, int column) const {
    switch (column) {
    case Kernel:
        return task.kernel;
    case Nodes:
        return size_t(row) < nodes_.size() ? nodes_[size_t(row)] : 0;
    case Calls:
        return task.calls;
    case Default:
        return task.defaultUs;
    case Best:
        return task.bestUs;
    case Gain:
        return 1 - task.bestRatio;
    case OfFloor:
        return task.bestUs > 0 ? task.floorUs / task.bestUs : 0;
    case Trials:
        return task.trials;
    case Expected:
        return task.gain;
    case State:
        return stateText(task, runs_);
    }
    return {};
}

QVariant StudyTaskModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= tasks_.size())
        return {};
    const StudyTask& task = tasks_[size_t(index.row())];
    const int column = index.column();
    if (role == sortRole)
        return numberAt(task, index.row(), column);
    if (role == Qt::TextAlignmentRole)
        return column == Kernel || column == State ? QVariant() : int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && column == OfFloor)
        return tr("What the machine could do at most, as a share of the best time: 100 % cannot be beaten");
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case Kernel:
        return task.kernel;
    case Nodes:
        return size_t(index.row()) < nodes_.size() ? grouped(nodes_[size_t(index.row())]) : QString();
    case Calls:
        return QString::number(task.calls);
    case Default:
        return microText(task.defaultUs);
    case Best:
        return microText(task.bestUs);
    case Gain:
        return task.best > 0 ? gainText(task.bestRatio) : QStringLiteral("–");
    case OfFloor:
        return task.floorUs > 0 && task.bestUs > 0
                   ? QStringLiteral("%1 %").arg(100 * task.floorUs / task.bestUs, 0, 'f', 0)
                   : QStringLiteral("–");
    case Trials:
        return grouped(std::max(task.trials - 1, 0));
    case Expected:
        return task.gain > 0 ? QString::number(task.gain, 'g', 3) : QStringLiteral("–");
    case State:
        return stateText(task, runs_);
    }
    return {};
}

QVariant StudyTaskModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= columns)
        return {};
    if (role == Qt::TextAlignmentRole && section != Kernel && section != State)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Expected)
        return tr(
            "Microseconds of the model that a second of tuning is expected to save: the task with the most is next");
    if (role != Qt::DisplayRole)
        return {};
    const QString names[] = {tr("Kernel"), tr("Nodes"), tr("Calls"),  tr("Default µs"),    tr("Best µs"),
                             tr("Gain"),   tr("Limit"), tr("Trials"), tr("Expected µs/s"), tr("State")};
    return names[section];
}

QString stateText(const StudyTask& task, bool runs) {
    switch (task.wish) {
    case tune::Wish::Paused:
        return StudyTaskModel::tr("paused");
    case tune::Wish::Closed:
        return StudyTaskModel::tr("closed");
    case tune::Wish::Excluded:
        return StudyTaskModel::tr("excluded");
    case tune::Wish::Go:
        break;
    }
    if (task.done != tune::Done::No)
        return QString::fromLatin1(tune::toString(task.done));
    if (!runs)
        return {};
    return task.priority > 1 ? StudyTaskModel::tr("tunes, ×%1 first").arg(task.priority) : StudyTaskModel::tr("tunes");
}

QString microText(double us) {
    return us <= 0 ? QStringLiteral("–") : QString::number(us, 'f', us < 10 ? 2 : us < 100 ? 1 : 0);
}

QString gainText(double ratio) {
    return QStringLiteral("%1 %").arg(100 * (1 - ratio), 0, 'f', 1);
}

} // namespace lathe::views::models
