// SPDX-License-Identifier: GPL-3.0-or-later
//
// The memory plan of the last compilation: each buffer a box, from its first kernel call to its last, where it lies; the curve
// is how much is alive. A click selects the nodes that made the buffer; what is selected elsewhere has a border.
#pragma once

#include "views/models/chart_texts.h"
#include "views/profile/chart_panel.h"

class QCPGraph;
class QCPItemRect;
class QCPItemStraightLine;

namespace lathe::views::profile {

class MemoryPanel : public ChartPanel {
    Q_OBJECT

public:
    explicit MemoryPanel(models::Selection* selection);

    /// Null: there is none. The sizes of inputs, as far as the model leaves them open.
    void setPlan(std::shared_ptr<const driver::Provenance> provenance, const driver::Shapes& shapes);
    const driver::MemoryChart& chart() const { return chart_; }
    /// The middle of a buffer's box, in pixels of the plot.
    QPointF pixelOf(const driver::MemoryChart::Buffer& buffer) const;

protected:
    void colour() override;

private:
    void draw();
    const driver::MemoryChart::Buffer* at(QPointF pixel) const;
    const std::vector<int32_t>& nodesOf(const driver::MemoryChart::Buffer& buffer) const;

    QCPGraph* alive_;
    QCPItemStraightLine* peak_;
    std::shared_ptr<const driver::Provenance> provenance_;
    driver::MemoryChart chart_;
    std::vector<std::pair<QCPItemRect*, const driver::MemoryChart::Buffer*>> boxes_;
};

} // namespace lathe::views::profile
