// SPDX-License-Identifier: GPL-3.0-or-later
//
// How charts look: as the window around them, light or dark.
#pragma once

#include "views/models/text/colors.h"

#include <qcustomplot.h>

namespace lathe::views {

/// A plot is one picture: QCustomPlot has another one over it for what is dragged out of it, which nothing is, and to put one
/// over the other takes as long as to draw either.
inline void setUpPlot(QCustomPlot& plot) {
    plot.layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmLogical);
}

/// What a colour means: "■ compute", for a label with rich text, before what follows in it.
inline QString legendOf(const QColor& color, const QString& meaning) {
    return QStringLiteral("<span style=\"color:%1\">■</span>&nbsp;%2&nbsp;&nbsp;&nbsp;&nbsp; ")
        .arg(color.name(), meaning.toHtmlEscaped());
}

/// The colours of axes, grid and background.
inline void colourPlot(QCustomPlot& plot, const QPalette& palette) {
    const models::Colors colors = models::colorsFor(palette);
    plot.setBackground(palette.base());
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis, plot.xAxis2, plot.yAxis2}) {
        axis->setBasePen(QPen(colors.dimText));
        axis->setTickPen(QPen(colors.dimText));
        axis->setSubTickPen(QPen(colors.dimText));
        axis->setTickLabelColor(colors.text);
        axis->setLabelColor(colors.dimText);
        axis->grid()->setPen(QPen(colors.grid));
        axis->grid()->setZeroLinePen(QPen(colors.grid));
    }
}

} // namespace lathe::views
