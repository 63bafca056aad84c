// SPDX-License-Identifier: GPL-3.0-or-later
//
// The memory plan of the last compilation: each buffer a box, from its first kernel call to its last, where it lies; the curve
// is how much is alive. Beside it the same buffers as a table, the largest first. A click selects the nodes that made the
// buffer; what is selected elsewhere has a border, and its rows are the table's.
#pragma once

#include "views/models/profile/buffer_model.h"
#include "views/page/chart_panel.h"

class QCPGraph;
class QCPItemStraightLine;
class QSortFilterProxyModel;
class QTableView;

namespace lathe::views::profile {

class MemoryPanel : public ChartPanel {
    Q_OBJECT

public:
    explicit MemoryPanel(models::Selection* selection);

    /// Null: there is none. The sizes of inputs, as far as the model leaves them open.
    void setPlan(std::shared_ptr<const inspect::Provenance> provenance, const driver::Shapes& shapes);
    const inspect::MemoryChart& chart() const { return model_->chart(); }
    const models::BufferModel* model() const { return model_; }
    /// The middle of a buffer's box, in pixels of the plot.
    QPointF pixelOf(const inspect::MemoryChart::Buffer& buffer) const;

protected:
    void colour() override;

private:
    class Boxes;

    void draw();
    int rowAt(QPointF pixel) const; // of the model; -1: none
    void select(int row);
    bool isSelected(int row) const;

    QCPGraph* alive_;
    QCPItemStraightLine* peak_;
    Boxes* boxes_;
    models::BufferModel* model_;
    QSortFilterProxyModel* sorted_;
    QTableView* table_;
    bool following_ = false; // the table and the selection are being made one
};

} // namespace lathe::views::profile
