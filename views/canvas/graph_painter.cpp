// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/graph_painter.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <set>

namespace lathe::views::canvas {

namespace {

using models::GraphBox;

constexpr double blockScale = 0.22;  // below it a box is one rectangle, and arrows are plain lines
constexpr double typesScale = 1.15;  // from it on each arrow has its type
constexpr double linesScale = 0.55;  // below it the lines under a title are too small to read
constexpr double widestLetter = 8;   // of nearly all lines, in their font
constexpr double widestType = 240;   // of what flows along an arrow, or a box is coloured by
constexpr double smallestFrame = 48; // pixels

QFont sceneFont(int pixels, bool bold = false) {
    QFont font = QApplication::font();
    font.setPixelSize(pixels);
    font.setBold(bold);
    return font;
}

class Painting {
public:
    Painting(QPainter& painter, const GraphView& view, const QRectF& visible, double scale)
        : painter_(painter), view_(view), boxes_(view.scene.picture.boxes), colors_(view.colors), visible_(visible),
          scale_(scale), title_(sceneFont(13)), boldTitle_(sceneFont(13, true)), small_(sceneFont(10)),
          metrics_(small_), boldMetrics_(boldTitle_) {}

    void paint() {
        painter_.setRenderHint(QPainter::Antialiasing, scale_ >= blockScale);
        paintArrows(0, view_.scene.picture.ownArrows);
        std::vector<int> frames; // that the box is in: where they end
        for (int box = 0; box < int(boxes_.size());) {
            while (!frames.empty() && frames.back() <= box)
                frames.pop_back();
            if (!rectOf(view_.scene, box).intersects(visible_)) {
                box = boxes_[size_t(box)].lastBox;
                continue;
            }
            const GraphBox& value = boxes_[size_t(box)];
            if (!value.open) {
                paintBox(box++);
            } else if (std::max(value.size.width(), value.size.height()) * scale_ < smallestFrame) {
                paintBlock(box);
                box = value.lastBox;
            } else {
                frames.push_back(value.lastBox);
                paintFrame(box++, int(frames.size()));
                paintArrows(value.firstArrow, value.ownArrows);
            }
        }
        paintTypes();
    }

    bool isChosen(int box) const { return view_.selected[size_t(box)] != 0 || box == view_.current; }

    QColor colorOf(const GraphBox& box) const {
        if (const models::NodeOverlay* overlay = overlayOf(view_.overlay, box))
            return models::colorOf(view_.overlay, *overlay, colors_);
        if (!view_.overlay.nodes.empty()) // inputs and outputs: a hue would be read as a value
            return colors_.boxBorder;
        const bool port = box.kind == GraphBox::Kind::Input || box.kind == GraphBox::Kind::Output;
        return port ? colors_.good : colors_.of(box.family);
    }

private:
    void paintArrows(int first, int count) {
        const double width = std::max(1.2, 0.7 / scale_);
        for (int i = first; i < first + count; ++i) {
            if (!view_.arrowBounds[size_t(i)].intersects(visible_))
                continue;
            const models::GraphArrow& arrow = view_.scene.picture.arrows[size_t(i)];
            const bool near = view_.current >= 0 && (arrow.from == view_.current || arrow.to == view_.current);
            if (!arrow.type.isEmpty() && scale_ >= (near ? linesScale : typesScale))
                typed_.push_back(i);
            const QColor& color = near ? colors_.selection : colors_.arrow;
            painter_.setBrush(Qt::NoBrush);
            painter_.setPen(QPen(color, near ? width * 1.8 : width));
            const auto& points = view_.scene.layout.paths[size_t(i)];
            if (scale_ < blockScale) {
                for (size_t k = 0; k + 3 < points.size(); k += 3)
                    painter_.drawLine(points[k], points[k + 3]);
                continue;
            }
            QPainterPath path(points[0]);
            for (size_t k = 1; k + 2 < points.size(); k += 3)
                path.cubicTo(points[k], points[k + 1], points[k + 2]);
            painter_.drawPath(path);
            paintTip(points, color);
        }
    }

    /// Over the boxes. A value that is read by many says its type once, and what has no room is left out.
    void paintTypes() {
        std::set<QString> said;
        std::vector<QRectF> taken;
        painter_.setFont(small_);
        painter_.setPen(colors_.dimText);
        for (const int i : typed_) {
            const models::GraphArrow& arrow = view_.scene.picture.arrows[size_t(i)];
            const QString type = metrics_.elidedText(arrow.type, Qt::ElideMiddle, widestType);
            QRectF place(0, 0, metrics_.horizontalAdvance(type) + 6, 14);
            place.moveCenter(middleOf(view_.scene, i));
            const auto covered = [&](const QRectF& other) { return other.intersects(place); };
            if (said.contains(arrow.value) || !visible_.intersects(place) || std::ranges::any_of(taken, covered))
                continue;
            said.insert(arrow.value);
            taken.push_back(place);
            painter_.fillRect(place, colors_.canvas);
            painter_.drawText(place, Qt::AlignCenter, type);
        }
    }

    void paintTip(const std::vector<QPointF>& points, const QColor& color) {
        // It points along the curve's end.
        const QPointF tip = points.back(), before = points[points.size() - 2];
        QPointF along = tip - before;
        const double length = std::hypot(along.x(), along.y());
        along = length > 0.01 ? along / length : QPointF(0, 1);
        const QPointF across(-along.y(), along.x());
        painter_.setBrush(color);
        painter_.setPen(Qt::NoPen);
        painter_.drawPolygon(QPolygonF({tip, tip - along * 8 + across * 3.6, tip - along * 8 - across * 3.6}));
    }

    QPen borderOf(int index) const {
        const GraphBox& box = boxes_[size_t(index)];
        const bool strong = box.refused || isChosen(index);
        QPen pen(box.refused       ? colors_.problem
                 : isChosen(index) ? colors_.selection
                                   : colors_.boxBorder,
                 strong ? 2.4 : 1);
        if (box.hasNested)
            pen.setStyle(Qt::DashLine);
        return pen;
    }

    void paintBlock(int index) {
        const GraphBox& box = boxes_[size_t(index)];
        painter_.fillRect(rectOf(view_.scene, index), box.refused       ? colors_.problem
                                                      : isChosen(index) ? colors_.selection
                                                                        : colorOf(box));
    }

    void paintHandle(int index) {
        const QRectF rect = handleOf(view_.scene, index).adjusted(2, 2, -2, -2);
        painter_.setPen(QPen(colors_.text, 1.2));
        painter_.setBrush(colors_.box);
        painter_.drawRect(rect);
        const QPointF middle = rect.center();
        painter_.drawLine(QPointF(rect.left() + 3, middle.y()), QPointF(rect.right() - 3, middle.y()));
        if (!boxes_[size_t(index)].open)
            painter_.drawLine(QPointF(middle.x(), rect.top() + 3), QPointF(middle.x(), rect.bottom() - 3));
    }

    /// Opaque: mixing a window full of pixels for each frame in a frame takes longer than all that stands on them.
    QColor groundOf(int depth) const {
        const double share = std::min(0.10 * depth, 0.5);
        const auto mixed = [&](int from, int to) { return int(from + (to - from) * share); };
        const QColor &from = colors_.canvas, &to = colors_.boxBorder;
        return {mixed(from.red(), to.red()), mixed(from.green(), to.green()), mixed(from.blue(), to.blue())};
    }

    void paintFrame(int index, int depth) {
        const GraphBox& box = boxes_[size_t(index)];
        const QRectF rect = rectOf(view_.scene, index);
        painter_.setPen(borderOf(index));
        painter_.setBrush(groundOf(depth));
        painter_.drawRect(rect);
        QColor band = colorOf(box);
        band.setAlphaF(colors_.dark ? 0.42F : 0.24F);
        painter_.fillRect(QRectF(rect.topLeft(), QSizeF(rect.width(), models::frameTitle)), band);
        if (scale_ < readableScale)
            return;
        paintHandle(index);
        painter_.setPen(box.refused ? colors_.problem : colors_.text);
        painter_.setFont(boldTitle_);
        const double left =
            std::max(rect.left() + 28, visible_.left() + 8); // what is in sight of a wide one has its name
        const models::NodeOverlay* overlay = overlayOf(view_.overlay, box);
        const QString value = overlay && !overlay->text.isEmpty() ? QStringLiteral("   ") + overlay->text : QString();
        const QRectF room(left, rect.top(), rect.right() - 8 - left, models::frameTitle);
        painter_.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                          boldMetrics_.elidedText(box.title + QStringLiteral("   ") + box.subtitle + value,
                                                  Qt::ElideRight, room.width()));
    }

    void paintBox(int index) {
        if (scale_ < blockScale)
            return paintBlock(index);
        const GraphBox& box = boxes_[size_t(index)];
        const QRectF rect = rectOf(view_.scene, index);
        const bool group = box.kind == GraphBox::Kind::Group;
        const bool card = group || box.kind == GraphBox::Kind::Operator;
        const models::NodeOverlay* overlay = overlayOf(view_.overlay, box);
        const QColor color = colorOf(box);
        const double radius = card ? 6 : rect.height() / 2;
        painter_.setPen(borderOf(index));
        if (group) { // there is more behind it
            painter_.setBrush(colors_.box);
            painter_.drawRoundedRect(rect.translated(4, 4), radius, radius);
        }
        painter_.setBrush(overlay ? color : colors_.box);
        if (scale_ < readableScale) // nobody sees its corners
            painter_.drawRect(rect);
        else
            painter_.drawRoundedRect(rect, radius, radius);
        if (card && !overlay) {
            // A band in the family's colour behind the title.
            QColor band = color;
            band.setAlphaF(colors_.dark ? 0.42F : 0.18F);
            painter_.fillRect(QRectF(rect.left() + 1, rect.top() + 2, rect.width() - 2, 22), band);
            painter_.fillRect(QRectF(rect.left() + 1, rect.top() + 3, 4, rect.height() - 6), color);
        }
        if (scale_ < readableScale)
            return;
        if (group)
            paintHandle(index);
        paintText(box, rect, overlay);
    }

    void paintText(const GraphBox& box, const QRectF& rect, const models::NodeOverlay* overlay) {
        const bool card = box.kind == GraphBox::Kind::Group || box.kind == GraphBox::Kind::Operator;
        const int flags = (card ? Qt::AlignLeft : Qt::AlignHCenter) | Qt::AlignVCenter;
        const QRectF inner = rect.adjusted(11, 3, -9, -3);
        const double shift = box.kind == GraphBox::Kind::Group ? 17 : 0;
        painter_.setFont(card ? boldTitle_ : title_);
        painter_.setPen(box.refused ? colors_.problem : colors_.text);
        double y = inner.top() + 1;
        const QRectF above(inner.left() + shift, y, inner.width() - shift, 19);
        const QString title = (box.refused ? QStringLiteral("⚠ ") : QString()) + box.title;
        const bool titleFits = 1.5 * widestLetter * double(title.size()) < above.width();
        painter_.drawText(above, flags,
                          titleFits ? title : boldMetrics_.elidedText(title, Qt::ElideMiddle, above.width()));
        if (scale_ < linesScale)
            return;
        y += 22;
        painter_.setFont(small_);
        painter_.setPen(overlay ? colors_.text : colors_.dimText);
        auto line = [&](const QString& text) {
            // Most fit, which is seen without measuring.
            const bool fits = widestLetter * double(text.size()) < inner.width();
            painter_.drawText(QRectF(inner.left(), y, inner.width(), 14), flags,
                              fits ? text : metrics_.elidedText(text, Qt::ElideMiddle, inner.width()));
            y += 14;
        };
        if (!box.subtitle.isEmpty())
            line(box.subtitle);
        for (const QString& text : box.lines)
            line(text);
        painter_.setPen(colors_.problem);
        for (const QString& text : box.reasonLines)
            line(text);
        if (overlay && !overlay->text.isEmpty())
            paintValue(rect, overlay->text);
    }

    void paintValue(const QRectF& rect, const QString& value) {
        const QString text = metrics_.elidedText(value, Qt::ElideMiddle, widestType);
        // On the lower border: cards are as large as their own text needs, whatever they are coloured by.
        const double width = metrics_.horizontalAdvance(text) + 10;
        const QRectF place(rect.right() + 4 - width, rect.bottom() - 4, width, 15);
        painter_.setPen(QPen(colors_.boxBorder, 1));
        painter_.setBrush(colors_.box);
        painter_.drawRoundedRect(place, 4, 4);
        painter_.setPen(colors_.text);
        painter_.drawText(place, Qt::AlignCenter, text);
    }

    QPainter& painter_;
    const GraphView& view_;
    const std::vector<GraphBox>& boxes_;
    const models::Colors& colors_;
    const QRectF visible_;
    const double scale_;
    const QFont title_, boldTitle_, small_;
    const QFontMetricsF metrics_, boldMetrics_;
    std::vector<int> typed_; // arrows whose types are to be painted
};

} // namespace

QPointF middleOf(const models::GraphScene& scene, int arrow) {
    const auto& points = scene.layout.paths[size_t(arrow)];
    const size_t curves = (points.size() - 1) / 3;
    if (curves == 0)
        return points.front();
    if (curves % 2 == 0)
        return points[3 * (curves / 2)];
    const QPointF* curve = &points[3 * (curves / 2)];
    return (curve[0] + 3 * curve[1] + 3 * curve[2] + curve[3]) / 8;
}

QRectF rectOf(const models::GraphScene& scene, int box) {
    const QSizeF size = scene.picture.boxes[size_t(box)].size;
    return {scene.layout.centers[size_t(box)] - QPointF(size.width() / 2, size.height() / 2), size};
}

QRectF handleOf(const models::GraphScene& scene, int box) {
    return {rectOf(scene, box).topLeft() + QPointF(7, 5), QSizeF(17, 17)};
}

const models::NodeOverlay* overlayOf(const models::Overlay& overlay, const models::GraphBox& box) {
    if (box.modelNode >= 0 && size_t(box.modelNode) < overlay.nodes.size())
        return &overlay.nodes[size_t(box.modelNode)];
    if (box.group >= 0 && size_t(box.group) < overlay.groups.size())
        return &overlay.groups[size_t(box.group)];
    return nullptr;
}

void paintGraph(QPainter& painter, const GraphView& view, const QRectF& visible, double scale) {
    Painting(painter, view, visible, scale).paint();
}

void paintOverview(QPainter& painter, const GraphView& view, double scale) {
    const Painting painting(painter, view, view.scene.layout.bounds, scale);
    const auto& boxes = view.scene.picture.boxes;
    for (int i = 0; i < int(boxes.size());) {
        const GraphBox& box = boxes[size_t(i)];
        const bool inside = box.open && std::max(box.size.width(), box.size.height()) * scale >= 12;
        QRectF rect = rectOf(view.scene, i);
        rect.setSize(rect.size().expandedTo(QSizeF(1.5, 1) / scale));
        QColor color = box.refused            ? view.colors.problem
                       : painting.isChosen(i) ? view.colors.selection
                                              : painting.colorOf(box);
        if (inside)
            color.setAlphaF(0.25F);
        painter.fillRect(rect, color);
        i = inside ? i + 1 : box.lastBox;
    }
}

} // namespace lathe::views::canvas
