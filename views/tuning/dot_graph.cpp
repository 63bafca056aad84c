// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/dot_graph.h"

#include <algorithm>
#include <cmath>

namespace lathe::views::tuning {

namespace {

constexpr qsizetype few = 10'000; // dots: an image takes as long as these
constexpr double dotReach = 16;   // pixels: of a dot beyond its middle, at most

} // namespace

void DotGraph::draw(QCPPainter* painter) {
    const auto begin = data()->findBegin(keyAxis()->range().lower, true);
    const auto end = data()->findEnd(keyAxis()->range().upper, true);
    const QCPScatterStyle& style = scatterStyle();
    if (style.shape() != QCPScatterStyle::ssDot || lineStyle() != lsNone || selected() || end - begin < few ||
        style.pen().color().alpha() < 255 || keyAxis()->scaleType() != QCPAxis::stLinear ||
        painter->modes().testFlag(QCPPainter::pmVectorized) ||
        painter->deviceTransform().type() > QTransform::TxTranslate)
        return QCPGraph::draw(painter);
    drawDots(painter, begin, end);
}

void DotGraph::drawDots(QCPPainter* painter, QCPGraphDataContainer::const_iterator begin,
                        QCPGraphDataContainer::const_iterator end) {
    const QRect axes = keyAxis()->axisRect()->rect(), clip = clipRect().adjusted(0, -1, 0, 0); // as a plot clips
    const QSize size = clip.size();
    if (image_.size() != size)
        image_ = QImage(size, QImage::Format_ARGB32_Premultiplied);
    image_.fill(Qt::transparent);
    auto* pixels = reinterpret_cast<QRgb*>(image_.bits());
    const qsizetype width = image_.bytesPerLine() / qsizetype(sizeof(QRgb));
    const QRgb color = scatterStyle().pen().color().rgba();
    const double half = scatterStyle().pen().widthF() / 2;
    // As the axes say it, to the last bit: a dot between two pixels is rounded as theirs are.
    const QCPRange across = keyAxis()->range(), up = valueAxis()->range();
    const bool isLogarithmic = valueAxis()->scaleType() == QCPAxis::stLogarithmic;
    const double height = isLogarithmic ? std::log(up.upper / up.lower) : up.size();
    for (auto point = begin; point != end; ++point) {
        if (!(point->value > up.lower && point->value < up.upper))
            continue; // nor where it is not a number
        const double share = (isLogarithmic ? std::log(point->value / up.lower) : point->value - up.lower) / height;
        const double x = (point->key - across.lower) / across.size() * axes.width() + axes.left() - clip.left();
        const double y = axes.bottom() - share * axes.height() - clip.top();
        if (!(x > -dotReach && x < size.width() + dotReach))
            continue; // one of those next to the range
        const int left = std::max(qRound(x - half), 0), right = std::min(qRound(x + half), size.width());
        const int top = std::max(qRound(y - half), 0), bottom = std::min(qRound(y + half), size.height());
        for (int row = top; row < bottom; ++row)
            for (int column = left; column < right; ++column)
                pixels[row * width + column] = color;
    }
    applyScattersAntialiasingHint(painter);
    painter->drawImage(clip.topLeft(), image_);
}

} // namespace lathe::views::tuning
