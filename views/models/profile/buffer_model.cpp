// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/profile/buffer_model.h"

#include "views/models/profile/chart_texts.h"

namespace lathe::views::models {

namespace {

bool isBytesOrCall(int column) {
    return column == BufferModel::Bytes || column == BufferModel::First || column == BufferModel::Last;
}

} // namespace

void BufferModel::show(std::shared_ptr<const inspect::Provenance> provenance, inspect::MemoryChart chart) {
    beginResetModel();
    provenance_ = std::move(provenance);
    chart_ = std::move(chart);
    endResetModel();
}

const lower::PlacedBuffer& BufferModel::recordAt(int row) const {
    return provenance_->trace().buffers[chart_.buffers[size_t(row)].index];
}

const std::vector<int32_t>& BufferModel::nodesAt(int row) const {
    return provenance_->trace().graph->spans->ids(recordAt(row).use.span);
}

bool BufferModel::isAtPeak(int row) const {
    const lower::PlacedBuffer& record = recordAt(row);
    return record.firstCall <= chart_.peakCall && chart_.peakCall <= record.lastCall;
}

int BufferModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(chart_.buffers.size());
}

int BufferModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant BufferModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const inspect::MemoryChart::Buffer& buffer = chart_.buffers[size_t(index.row())];
    const lower::PlacedBuffer& record = recordAt(index.row());
    const auto text = [](std::string_view view) { return QString::fromUtf8(view.data(), qsizetype(view.size())); };
    if (role == Qt::TextAlignmentRole && isBytesOrCall(index.column()))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == sortRole && index.column() == Bytes)
        return qlonglong(buffer.bytes);
    if (role != Qt::DisplayRole && role != sortRole)
        return {};
    switch (index.column()) {
    case Name:
        return text(inspect::nameOf(record));
    case Bytes:
        return bytesText(double(buffer.bytes));
    case Kind:
        return text(lower::toString(record.use.kind));
    case First:
        return record.firstCall;
    case Last:
        return record.lastCall;
    case AtPeak:
        return isAtPeak(index.row()) ? tr("yes") : QString();
    }
    return {};
}

QVariant BufferModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole && isBytesOrCall(section))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    const QString names[] = {tr("Buffer"), tr("Bytes"), tr("Holds"), tr("From call"), tr("To call"), tr("At the peak")};
    return names[section];
}

} // namespace lathe::views::models
