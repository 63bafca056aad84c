// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/dot_graph.h"

#include <algorithm>

namespace lathe::views::tuning {

namespace {

constexpr qsizetype few = 10'000; // dots: an image takes as long as these

} // namespace

void DotGraph::drawScatterPlot(QCPPainter* painter, const QVector<QPointF>& scatters,
                               const QCPScatterStyle& style) const {
    const QColor color = style.pen().color();
    if (style.shape() != QCPScatterStyle::ssDot || scatters.size() < few || color.alpha() < 255 ||
        painter->modes().testFlag(QCPPainter::pmVectorized) ||
        painter->deviceTransform().type() > QTransform::TxTranslate)
        return QCPGraph::drawScatterPlot(painter, scatters, style);
    applyScattersAntialiasingHint(painter);
    QImage image(painter->device()->width(), painter->device()->height(), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    auto* pixels = reinterpret_cast<QRgb*>(image.bits());
    const qsizetype width = image.bytesPerLine() / qsizetype(sizeof(QRgb));
    const QTransform toDevice = painter->deviceTransform();
    const double half = style.pen().widthF() / 2;
    for (const QPointF& at : scatters) {
        const QPointF middle = toDevice.map(at);
        const int left = std::max(qRound(middle.x() - half), 0), top = std::max(qRound(middle.y() - half), 0);
        const int right = std::min(qRound(middle.x() + half), image.width());
        const int bottom = std::min(qRound(middle.y() + half), image.height());
        for (int y = top; y < bottom; ++y)
            for (int x = left; x < right; ++x)
                pixels[y * width + x] = color.rgba();
    }
    painter->save();
    painter->resetTransform();
    painter->drawImage(0, 0, image);
    painter->restore();
}

} // namespace lathe::views::tuning
