// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_canvas.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>

namespace lathe::views::graph {

namespace {

constexpr double minimalScale = 0.01, maximalScale = 4, readableScale = 0.38, startScale = 0.84;

QFont sceneFont(int pixels, bool bold = false) {
    QFont font = QApplication::font();
    font.setPixelSize(pixels);
    font.setBold(bold);
    return font;
}

} // namespace

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Graph of the model"));
    setMinimumSize(200, 150);
}

void GraphCanvas::setPicture(models::GraphPicture picture, models::GraphLayout layout) {
    picture_ = std::move(picture);
    current_ = -1;
    selected_.assign(picture_.boxes.size(), 0);
    touched_ = false;
    startPending_ = true;
    setLayout(std::move(layout));
    startView();
}

void GraphCanvas::setMessage(const QString& message) {
    message_ = message;
    update();
}

void GraphCanvas::setLayout(models::GraphLayout layout) {
    const bool keep = touched_ && current_ >= 0 && size_t(current_) < layout_.centers.size();
    const QPointF was = keep ? toWidget(layout_.centers[current_]) : QPointF();
    layout_ = std::move(layout);
    arrowBounds_.clear();
    for (const auto& path : layout_.paths) {
        QRectF bounds;
        for (const QPointF& point : path)
            bounds |= QRectF(point - QPointF(1, 1), QSizeF(2, 2));
        arrowBounds_.push_back(bounds);
    }
    if (keep)
        origin_ = layout_.centers[current_] - was / scale_;
    else
        startView();
    update();
}

void GraphCanvas::startView() {
    if (width() < 10 || layout_.bounds.isEmpty())
        return;
    const double whole = std::min(width() / layout_.bounds.width(), height() / layout_.bounds.height());
    scale_ = std::clamp(whole, startScale, 1.0);
    if (layout_.bounds.width() * startScale > width())
        scale_ = std::clamp(width() / layout_.bounds.width(), readableScale, startScale);
    // The top, centred on the first input: where reading starts.
    double middle = layout_.bounds.center().x();
    if (layout_.bounds.width() * scale_ > width() && !layout_.centers.empty())
        middle = layout_.centers[0].x();
    origin_ = {middle - width() / scale_ / 2, layout_.bounds.top()};
    if (layout_.bounds.height() * scale_ < height())
        origin_.setY(layout_.bounds.center().y() - height() / scale_ / 2);
    startPending_ = false;
    // What was asked for, be it before the first paint or before the final layout, stays in sight.
    if (current_ >= 0)
        reveal(current_);
    update();
}

void GraphCanvas::fit() {
    if (layout_.bounds.isEmpty())
        return;
    scale_ =
        std::clamp(std::min(width() / layout_.bounds.width(), height() / layout_.bounds.height()), minimalScale, 1.2);
    origin_ = layout_.bounds.center() - QPointF(width(), height()) / scale_ / 2;
    update();
}

void GraphCanvas::zoom(double factor, QPointF around) {
    const QPointF fixed = toScene(around);
    scale_ = std::clamp(scale_ * factor, minimalScale, maximalScale);
    origin_ = fixed - around / scale_;
    touched_ = true;
    update();
}

void GraphCanvas::setOverlay(models::Overlay overlay, const QString& note) {
    overlay_ = std::move(overlay);
    note_ = note;
    update();
}

void GraphCanvas::setSelected(const std::vector<int>& boxes) {
    selected_.assign(picture_.boxes.size(), 0);
    for (int box : boxes)
        if (box >= 0 && size_t(box) < selected_.size())
            selected_[box] = 1;
    if (!boxes.empty() && (current_ < 0 || !selected_[current_]))
        current_ = boxes.front();
    if (boxes.empty())
        current_ = -1;
    update();
}

void GraphCanvas::reveal(int box) {
    if (box < 0 || size_t(box) >= layout_.centers.size())
        return;
    if (scale_ < readableScale)
        scale_ = 0.8;
    const QRectF view(origin_, QSizeF(width(), height()) / scale_);
    const double margin = 20 / scale_;
    if (!view.adjusted(margin, margin, -margin, -margin).contains(boxRect(box)))
        origin_ = layout_.centers[box] - QPointF(width(), height()) / scale_ / 2;
    update();
}

QRectF GraphCanvas::boxRect(int box) const {
    const QSizeF size = picture_.boxes[box].size;
    return {layout_.centers[box] - QPointF(size.width() / 2, size.height() / 2), size};
}

int GraphCanvas::boxAt(QPointF widgetPoint) const {
    const QPointF point = toScene(widgetPoint);
    for (size_t i = 0; i < layout_.centers.size(); ++i)
        if (boxRect(int(i)).contains(point))
            return int(i);
    return -1;
}

void GraphCanvas::pick(int box) {
    current_ = box;
    setAccessibleDescription(box < 0 ? QString()
                                     : picture_.boxes[box].title + " " + picture_.boxes[box].subtitle + " " +
                                           picture_.boxes[box].reason);
    emit boxPicked(box);
    update();
}

void GraphCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const models::Colors colors = models::colorsFor(palette());
    painter.fillRect(rect(), colors.canvas);
    if (picture_.boxes.empty() && !message_.isEmpty()) {
        painter.setPen(colors.dimText);
        painter.drawText(rect().adjusted(40, 40, -40, -40), Qt::AlignCenter | Qt::TextWordWrap, message_);
    }
    painter.save();
    painter.scale(scale_, scale_);
    painter.translate(-origin_);
    paintPicture(painter, {origin_, QSizeF(width(), height()) / scale_}, scale_);
    painter.restore();
    paintOverview(painter, colors);
    if (!picture_.boxes.empty() && !note_.isEmpty())
        paintNote(painter, colors);
    if (hasFocus()) {
        painter.setPen(QPen(colors.selection, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void GraphCanvas::paintPicture(QPainter& painter, const QRectF& visible, double scale) {
    const models::Colors colors = models::colorsFor(palette());
    const double pen = std::max(1.2, 0.7 / scale);
    for (size_t i = 0; i < layout_.paths.size(); ++i) {
        if (!arrowBounds_[i].intersects(visible))
            continue;
        const models::GraphArrow& arrow = picture_.arrows[i];
        const bool near = current_ >= 0 && (arrow.from == current_ || arrow.to == current_);
        const auto& points = layout_.paths[i];
        QPainterPath path(points[0]);
        for (size_t k = 1; k + 2 < points.size(); k += 3)
            path.cubicTo(points[k], points[k + 1], points[k + 2]);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(near ? colors.selection : colors.arrow, near ? pen * 1.8 : pen));
        painter.drawPath(path);
        if (scale < 0.2)
            continue;
        // The tip points along the curve's end.
        const QPointF tip = points.back(), before = points[points.size() - 2];
        QPointF along = tip - before;
        const double length = std::hypot(along.x(), along.y());
        along = length > 0.01 ? along / length : QPointF(0, 1);
        const QPointF across(-along.y(), along.x());
        painter.setBrush(near ? colors.selection : colors.arrow);
        painter.setPen(Qt::NoPen);
        painter.drawPolygon(QPolygonF({tip, tip - along * 8 + across * 3.6, tip - along * 8 - across * 3.6}));
    }
    for (size_t i = 0; i < layout_.centers.size(); ++i)
        if (boxRect(int(i)).intersects(visible))
            paintBox(painter, int(i), colors, scale);
}

const models::NodeOverlay* GraphCanvas::overlayOf(const models::GraphBox& box) const {
    return box.modelNode >= 0 && size_t(box.modelNode) < overlay_.nodes.size() ? &overlay_.nodes[size_t(box.modelNode)]
                                                                               : nullptr;
}

QColor GraphCanvas::colorOf(const models::GraphBox& box, const models::Colors& colors) const {
    if (const models::NodeOverlay* overlay = overlayOf(box))
        return models::colorOf(overlay_, *overlay, colors);
    if (!overlay_.nodes.empty()) // inputs and outputs: a hue would be read as a value
        return colors.boxBorder;
    return box.kind == models::GraphBox::Kind::Operator ? colors.of(box.family) : colors.good;
}

void GraphCanvas::paintBox(QPainter& painter, int index, const models::Colors& colors, double scale) const {
    const models::GraphBox& box = picture_.boxes[index];
    const QRectF rect = boxRect(index);
    const bool operation = box.kind == models::GraphBox::Kind::Operator;
    const models::NodeOverlay* overlay = overlayOf(box);
    const QColor color = colorOf(box, colors);
    const bool chosen = selected_[index] != 0 || index == current_;

    if (scale < 0.12) {
        painter.fillRect(rect, box.refused ? colors.problem : chosen ? colors.selection : color);
        return;
    }
    const double radius = operation ? 6 : rect.height() / 2;
    QPen border(box.refused ? colors.problem
                : chosen    ? colors.selection
                            : colors.boxBorder,
                box.refused || chosen ? 2.4 : 1);
    if (box.hasNested)
        border.setStyle(Qt::DashLine);
    painter.setPen(border);
    painter.setBrush(overlay ? color : colors.box);
    painter.drawRoundedRect(rect, radius, radius);
    if (operation && !overlay) {
        // A band in the family's colour behind the title.
        QPainterPath clip;
        clip.addRoundedRect(rect.adjusted(1, 1, -1, -1), radius - 1, radius - 1);
        painter.save();
        painter.setClipPath(clip, Qt::IntersectClip);
        QColor band = color;
        band.setAlphaF(colors.dark ? 0.42F : 0.18F);
        painter.fillRect(QRectF(rect.topLeft(), QSizeF(rect.width(), 24)), band);
        painter.fillRect(QRectF(rect.topLeft(), QSizeF(4, rect.height())), color);
        painter.restore();
    }
    if (scale < readableScale * 0.7)
        return;

    const QRectF inner = rect.adjusted(11, 3, -9, -3);
    painter.setFont(sceneFont(13, operation));
    painter.setPen(box.refused ? colors.problem : colors.text);
    double y = inner.top() + 1;
    painter.drawText(QRectF(inner.left(), y, inner.width(), 19),
                     (operation ? Qt::AlignLeft : Qt::AlignHCenter) | Qt::AlignVCenter,
                     (box.refused ? QStringLiteral("⚠ ") : QString()) + box.title);
    if (scale < readableScale)
        return;
    y += 22;
    painter.setFont(sceneFont(10));
    painter.setPen(overlay ? colors.text : colors.dimText);
    const QFontMetricsF metrics(painter.font());
    auto line = [&](const QString& text) {
        painter.drawText(QRectF(inner.left(), y, inner.width(), 14),
                         (operation ? Qt::AlignLeft : Qt::AlignHCenter) | Qt::AlignVCenter,
                         metrics.elidedText(text, Qt::ElideMiddle, inner.width()));
        y += 14;
    };
    if (!box.subtitle.isEmpty())
        line(box.subtitle);
    for (const QString& text : box.lines)
        line(text);
    painter.setPen(colors.problem);
    for (const QString& text : box.reasonLines)
        line(text);
    if (overlay && !overlay->text.isEmpty())
        paintValue(painter, rect, overlay->text, colors);
}

void GraphCanvas::paintValue(QPainter& painter, const QRectF& rect, const QString& text,
                             const models::Colors& colors) const {
    // On the lower border: cards are as large as their own text needs, whatever they are coloured by.
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 10;
    const QRectF place(rect.right() + 4 - width, rect.bottom() - 4, width, 15);
    painter.setPen(QPen(colors.boxBorder, 1));
    painter.setBrush(colors.box);
    painter.drawRoundedRect(place, 4, 4);
    painter.setPen(colors.text);
    painter.drawText(place, Qt::AlignCenter, text);
}

void GraphCanvas::paintNote(QPainter& painter, const models::Colors& colors) const {
    const double scale = overlay_.nodes.empty() ? 0 : 78, high = 24;
    painter.setFont(font());
    const double text = QFontMetricsF(painter.font()).horizontalAdvance(note_);
    const QRectF frame(12, height() - high - 12, scale + text + 20, high);
    painter.setPen(colors.boxBorder);
    painter.setBrush(colors.box);
    painter.drawRoundedRect(frame, 4, 4);
    painter.setPen(colors.text);
    painter.drawText(frame.adjusted(10 + scale, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, note_);
    if (scale > 0) {
        const QRectF strip(frame.left() + 10, frame.top() + 6, scale - 8, high - 12);
        QLinearGradient ramp(strip.topLeft(), strip.topRight());
        ramp.setColorAt(0, colors.ofShare(0));
        ramp.setColorAt(1, colors.ofShare(1));
        painter.fillRect(strip, ramp);
    }
}

void GraphCanvas::paintOverview(QPainter& painter, const models::Colors& colors) {
    const QRectF view(origin_, QSizeF(width(), height()) / scale_);
    if (layout_.bounds.isEmpty() || view.contains(layout_.bounds) || height() < 240)
        return;
    const double zoom = std::min(110 / layout_.bounds.width(), (height() - 24) / layout_.bounds.height());
    const QSizeF size = layout_.bounds.size() * zoom;
    const QRectF frame(QPointF(width() - size.width() - 12, 12), size);
    painter.setPen(colors.boxBorder);
    QColor back = colors.box;
    back.setAlphaF(0.85F);
    painter.setBrush(back);
    painter.drawRect(frame.adjusted(-4, -4, 4, 4));
    // At this size a few thousand boxes are a few hundred pixels: every k-th is enough.
    const size_t step = std::max<size_t>(1, layout_.centers.size() / 3000);
    for (size_t i = 0; i < layout_.centers.size(); i += step) {
        const QRectF box = boxRect(int(i));
        const QRectF small(frame.topLeft() + (box.topLeft() - layout_.bounds.topLeft()) * zoom,
                           QSizeF(std::max(1.5, box.width() * zoom), std::max(1.0, box.height() * zoom)));
        const models::GraphBox& value = picture_.boxes[i];
        painter.fillRect(small, value.refused  ? colors.problem
                                : selected_[i] ? colors.selection
                                               : colorOf(value, colors));
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colors.selection, 1.2));
    painter.drawRect(QRectF(frame.topLeft() + (view.topLeft() - layout_.bounds.topLeft()) * zoom, view.size() * zoom)
                         .intersected(frame.adjusted(-3, -3, 3, 3)));
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    const QPoint angle = event->angleDelta();
    if (event->modifiers() & (Qt::ShiftModifier | Qt::AltModifier)) {
        origin_ -= QPointF(angle.x() + angle.y(), 0) / scale_;
        touched_ = true;
        update();
    } else {
        zoom(std::pow(1.0015, angle.y()), event->position());
    }
    event->accept();
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->position();
    panning_ = true;
    moved_ = false;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!panning_)
        return;
    const QPointF delta = event->position() - pressed_;
    if (!moved_ && delta.manhattanLength() < QApplication::startDragDistance())
        return;
    moved_ = touched_ = true;
    setCursor(Qt::ClosedHandCursor);
    origin_ -= delta / scale_;
    pressed_ = event->position();
    update();
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    unsetCursor();
    if (panning_ && !moved_ && event->button() == Qt::LeftButton)
        pick(boxAt(event->position()));
    panning_ = false;
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    const int box = boxAt(event->position());
    if (box >= 0 && picture_.boxes[box].hasNested)
        emit nestedOpened(box);
}

int GraphCanvas::neighbour(int key) const {
    if (picture_.boxes.empty())
        return -1;
    if (current_ < 0)
        return 0;
    const QPointF here = layout_.centers[current_];
    int best = -1;
    double distance = std::numeric_limits<double>::max();
    auto offer = [&](int box) {
        const QPointF away = layout_.centers[box] - here;
        const double length = std::abs(away.x()) + std::abs(away.y());
        if (box != current_ && length < distance)
            distance = length, best = box;
    };
    if (key == Qt::Key_Up || key == Qt::Key_Down) {
        for (const models::GraphArrow& arrow : picture_.arrows) {
            if (key == Qt::Key_Down && arrow.from == current_)
                offer(arrow.to);
            if (key == Qt::Key_Up && arrow.to == current_)
                offer(arrow.from);
        }
        return best;
    }
    for (size_t i = 0; i < layout_.centers.size(); ++i) {
        const QPointF away = layout_.centers[i] - here;
        const bool side = key == Qt::Key_Right ? away.x() > 1 : away.x() < -1;
        if (side && std::abs(away.y()) < 80)
            offer(int(i));
    }
    return best;
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    const QPointF middle(width() / 2.0, height() / 2.0);
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom(1.25, middle);
    case Qt::Key_Minus:
        return zoom(0.8, middle);
    case Qt::Key_0:
        return zoom(1 / scale_, middle);
    case Qt::Key_F:
        if (event->modifiers() == Qt::NoModifier)
            return fit();
        break;
    case Qt::Key_Home:
    case Qt::Key_End:
        if (!picture_.boxes.empty()) {
            pick(event->key() == Qt::Key_Home ? 0 : int(picture_.boxes.size()) - 1);
            reveal(current_);
        }
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (current_ >= 0 && picture_.boxes[current_].hasNested)
            emit nestedOpened(current_);
        return;
    case Qt::Key_Backspace:
        emit leaveWanted();
        return;
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (const int next = neighbour(event->key()); next >= 0) {
            pick(next);
            reveal(next);
        }
        return;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

void GraphCanvas::resizeEvent(QResizeEvent*) {
    if (startPending_ || !touched_)
        startView();
}

bool GraphCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto help = static_cast<QHelpEvent*>(event);
        const int box = boxAt(help->pos());
        if (box < 0) {
            QToolTip::hideText();
            return true;
        }
        const models::GraphBox& value = picture_.boxes[box];
        QStringList lines{value.title, value.subtitle};
        lines += value.lines;
        if (value.refused)
            lines << value.reason;
        if (const models::NodeOverlay* overlay = overlayOf(value))
            lines << overlay->hint;
        lines.removeAll(QString());
        QToolTip::showText(help->globalPos(), lines.join('\n'), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace lathe::views::graph
