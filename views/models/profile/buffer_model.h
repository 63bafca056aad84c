// SPDX-License-Identifier: GPL-3.0-or-later
//
// The buffers of the memory plan as a table: how large, what they hold, from when to when, and whether they make the peak.
#pragma once

#include "inspect/memory_chart.h"
#include "inspect/provenance.h"

#include <QAbstractTableModel>

namespace lathe::views::models {

class BufferModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Bytes, Kind, First, Last, AtPeak, columns };
    static constexpr int sortRole = Qt::UserRole + 1;
    using QAbstractTableModel::QAbstractTableModel;

    /// Null: there is none. The chart is of this compilation.
    void show(std::shared_ptr<const inspect::Provenance> provenance, inspect::MemoryChart chart);
    const inspect::Provenance* provenance() const { return provenance_.get(); }
    const inspect::MemoryChart& chart() const { return chart_; }
    const lower::PlacedBuffer& recordAt(int row) const;
    /// What makes it.
    const std::vector<int32_t>& nodesAt(int row) const;
    bool isAtPeak(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const inspect::Provenance> provenance_;
    inspect::MemoryChart chart_;
};

} // namespace lathe::views::models
