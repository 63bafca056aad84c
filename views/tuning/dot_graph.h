// SPDX-License-Identifier: GPL-3.0-or-later
//
// A graph with up to a hundred thousand points. QPainter draws so many dots one by one, which takes longer than two pictures
// may; where a screen is not scaled, the same pixels are set in an image, which is painted once.
#pragma once

#include <qcustomplot.h>

namespace lathe::views::tuning {

class DotGraph final : public QCPGraph {
public:
    using QCPGraph::QCPGraph;

protected:
    void drawScatterPlot(QCPPainter* painter, const QVector<QPointF>& scatters,
                         const QCPScatterStyle& style) const override;
};

} // namespace lathe::views::tuning
