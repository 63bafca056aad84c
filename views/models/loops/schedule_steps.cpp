// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/loops/schedule_steps.h"

#include "base/guarded.h"
#include "schedule/schedule.h"

namespace lathe::views::models {

OriginText textAfterSteps(const driver::KernelRecord& kernel, int steps) {
    const auto text = guarded([&]() -> Result<OriginText> {
        schedule::Schedule schedule(kernel.stages.front().second);
        schedule::ScheduleTrace first = kernel.schedule.trace;
        first.steps.resize(std::min(first.steps.size(), size_t(std::max(0, steps))));
        LATHE_CHECKED(schedule.replay(first));
        const tir::PrimFuncPtr function = schedule.function();
        return textOf(*function, inspect::statementsAfter(kernel, steps, *function));
    });
    return text ? *text : OriginText{QString::fromStdString(toString(text.error())), {}};
}

void ScheduleStepModel::show(const driver::KernelRecord* kernel) {
    beginResetModel();
    rows_.clear();
    if (kernel)
        for (const schedule::Step& step : kernel->schedule.trace.steps)
            rows_ << QString::fromStdString(schedule::print(schedule::ScheduleTrace{{step}})).trimmed();
    steps_ = int(rows_.size());
    if (kernel)
        for (const schedule::Refusal& refusal : kernel->schedule.refusals)
            rows_ << tr("refused: %1: %2")
                         .arg(QString::fromStdString(refusal.tried), QString::fromStdString(refusal.reason));
    endResetModel();
}

int ScheduleStepModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int ScheduleStepModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant ScheduleStepModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rows_.size())
        return {};
    if (role == Qt::DisplayRole && index.column() == Number)
        return index.row() < steps_ ? QVariant(index.row() + 1) : QVariant();
    if ((role == Qt::DisplayRole || role == Qt::ToolTipRole) && index.column() == What)
        return rows_[index.row()];
    if (role == Qt::TextAlignmentRole && index.column() == Number)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant ScheduleStepModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    return section == Number ? QString() : tr("Steps of the schedule");
}

} // namespace lathe::views::models
