// SPDX-License-Identifier: GPL-3.0-or-later
//
// The values of a tensor as a table: the last two axes are rows and columns, the others stand at one index each. A vector is
// one column. Elements are read when they are asked for. A view keeps something of each row and column, so of long axes only
// a part is shown, which can be moved.
#pragma once

#include "model/model_graph.h"
#include "views/models/text/colors.h"

#include <QAbstractTableModel>
#include <optional>
#include <vector>

namespace lathe::views::models {

class TensorModel : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int mostShown = 10'000; // rows, columns

    using QAbstractTableModel::QAbstractTableModel;

    /// At the first index of all axes; null: nothing. A tensor whose elements are not there shows none.
    void show(model::TensorPtr tensor);
    const model::TensorPtr& tensor() const { return tensor_; }
    /// Axes but the last two.
    int outerAxes() const { return int(outer_.size()); }
    void setIndex(int axis, int64_t index);
    /// Of the axis of the rows, of that of the columns: the first element that is shown.
    void setFirst(Qt::Orientation orientation, int64_t first);
    /// How many elements the axis has, shown or not. Vertical: that of the rows.
    int64_t extent(Qt::Orientation orientation) const;

    /// Colours each cell by where it stands between two values; nothing: no colours.
    struct Heat {
        Colors colors;
        double from = 0, to = 0;
    };
    void setHeat(std::optional<Heat> heat);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    int64_t placeOf(const QModelIndex& index) const;

    model::TensorPtr tensor_;
    std::vector<int64_t> outer_; // indices
    int64_t firstRow_ = 0, firstColumn_ = 0;
    std::optional<Heat> heat_;
};

} // namespace lathe::views::models
