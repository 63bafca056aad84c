// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/loops/loop_nest_model.h"

#include "views/models/text/counted.h"

#include <cmath>

namespace lathe::views::models {

namespace {

QString kindOf(const lower::LoopCost& cost) {
    if (!cost.kind)
        return cost.trips ? QString() : LoopNestModel::tr("computes ");
    switch (*cost.kind) {
    case tir::ForKind::Parallel:
        return LoopNestModel::tr("parallel ");
    case tir::ForKind::Vectorized:
        return LoopNestModel::tr("vectors ");
    case tir::ForKind::Unrolled:
        return LoopNestModel::tr("unrolled ");
    case tir::ForKind::Serial:
        break;
    }
    return LoopNestModel::tr("for ");
}

} // namespace

void LoopNestModel::show(std::shared_ptr<const lower::LoopCost> nest) {
    beginResetModel();
    nest_ = std::move(nest);
    nodes_.clear();
    if (nest_)
        add(*nest_, -1, 0);
    endResetModel();
}

int LoopNestModel::add(const lower::LoopCost& cost, int parent, int row) {
    const int place = int(nodes_.size());
    nodes_.push_back({&cost, parent, row, {}});
    for (size_t i = 0; i < cost.inside.size(); ++i) {
        const int inside = add(cost.inside[i], place, int(i));
        nodes_[size_t(place)].inside.push_back(inside);
    }
    return place;
}

const lower::LoopCost& LoopNestModel::at(const QModelIndex& index) const {
    return *nodes_[size_t(index.internalId())].cost;
}

QModelIndex LoopNestModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column,
                       quintptr(parent.isValid() ? nodes_[size_t(parent.internalId())].inside[size_t(row)] : 0));
}

QModelIndex LoopNestModel::parent(const QModelIndex& child) const {
    if (!child.isValid())
        return {};
    const int above = nodes_[size_t(child.internalId())].parent;
    return above < 0 ? QModelIndex() : createIndex(nodes_[size_t(above)].row, 0, quintptr(above));
}

int LoopNestModel::rowCount(const QModelIndex& parent) const {
    if (parent.column() > 0)
        return 0;
    return parent.isValid() ? int(nodes_[size_t(parent.internalId())].inside.size()) : int(!nodes_.empty());
}

int LoopNestModel::columnCount(const QModelIndex& /*parent*/) const {
    return int(columns);
}

QVariant LoopNestModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const lower::LoopCost& cost = at(index);
    const auto most = [](bool is) { return is ? QStringLiteral("≤ ") : QString(); };
    const auto number = [&](const auto& value) {
        return value ? most(cost.workAtMost) + shortened(double(*value)) : QString();
    };
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) {
        switch (index.column()) {
        case Name:
            return kindOf(cost) + QString::fromStdString(cost.name);
        case Trips:
            return cost.kind && cost.trips ? grouped(*cost.trips) : QString();
        case Runs:
            return cost.runs ? most(cost.runsAtMost) + grouped(*cost.runs) : QString();
        case Flops:
            return number(cost.flops);
        case Accessed:
            return number(cost.accessed);
        case Touched:
            return cost.touched ? shortened(double(*cost.touched)) : QString();
        }
    }
    if (role == Qt::TextAlignmentRole && index.column() > Name)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant LoopNestModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= columns)
        return {};
    if (role == Qt::TextAlignmentRole && section > Name)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    const QString names[] = {tr("Loop"),  tr("Trip count"),     tr("Runs"),
                             tr("FLOPs"), tr("Bytes accessed"), tr("Bytes touched")};
    const QString hints[] = {tr("The loops as they were scheduled, before vectors and registers"),
                             tr("Of one run of the loop"),
                             tr("Of its body, in a call of the kernel; ≤ where conditions hang on data"),
                             tr("In a call of the kernel, within the loop"),
                             tr("Of all loads and stores in a call, also repeated ones"),
                             tr("Of different elements that one run of the loop meets: what should fit a cache")};
    if (role == Qt::ToolTipRole)
        return hints[section];
    return role == Qt::DisplayRole ? names[section] : QVariant();
}

} // namespace lathe::views::models
