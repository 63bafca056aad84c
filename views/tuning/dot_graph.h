// SPDX-License-Identifier: GPL-3.0-or-later
//
// A graph over a horizontal axis, with up to a hundred thousand points. QCustomPlot asks the axes for the place of each, and
// QPainter draws so many dots one by one: that takes longer than two pictures may. Where a screen is not scaled, the same pixels
// are set in an image, which is painted once.
#pragma once

#include <qcustomplot.h>

namespace lathe::views::tuning {

class DotGraph final : public QCPGraph {
public:
    using QCPGraph::QCPGraph;

protected:
    void draw(QCPPainter* painter) override;

private:
    void drawDots(QCPPainter* painter, QCPGraphDataContainer::const_iterator begin,
                  QCPGraphDataContainer::const_iterator end);

    QImage image_; // of the last painting: a new one of this size takes milliseconds to come by
};

} // namespace lathe::views::tuning
