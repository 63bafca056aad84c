// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/graph_canvas.h"

#include "views/canvas/graph_accessible.h"

#include <QAccessible>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

namespace lathe::views::canvas {

namespace {

constexpr double minimalScale = 0.01, maximalScale = 4;
constexpr double startScale = 0.84, smallestStartScale = 0.6; // of the first view, in which text is read
constexpr double overviewWidth = 150, overviewHeight = 300, margin = 12;

} // namespace

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    makeGraphsAccessible(); // before anything tells screen readers of it
    setAccessibleName(tr("Graph of the model"));
    setMinimumSize(200, 150);
}

void GraphCanvas::setScene(models::GraphScene scene) {
    scene_ = {std::move(scene.picture), {}};
    current_ = -1;
    selected_.assign(scene_.picture.boxes.size(), 0);
    touched_ = false;
    startPending_ = true;
    setPlaces(std::move(scene.layout));
    startView();
}

void GraphCanvas::changeScene(models::GraphScene scene, int group) {
    const int before = boxOfGroup(group);
    QPointF corner = before < 0 ? QPointF() : boxOnScreen(before).topLeft();
    scene_.picture = std::move(scene.picture);
    selected_.assign(scene_.picture.boxes.size(), 0);
    current_ = boxOfGroup(group);
    setPlaces(std::move(scene.layout));
    if (before < 0 || current_ < 0)
        return startView();
    // A title that was scrolled away comes back, and a box whose frame was clicked far from its corner to the mouse.
    corner.setY(std::max(corner.y(), margin));
    origin_ = rectOf(scene_, current_).topLeft() - corner / scale_;
    const QRectF now = boxOnScreen(current_);
    if (now.right() < 0 || now.left() > width())
        origin_.rx() += (now.center().x() - std::clamp(pressed_.x(), 0.0, double(width()))) / scale_;
    touched_ = true; // a layout that comes later must not move it
    update();
}

void GraphCanvas::setMessage(const QString& message) {
    message_ = message;
    update();
}

void GraphCanvas::setPlaces(models::GraphLayout layout) {
    ++sceneNumber_;
    scene_.layout = std::move(layout);
    arrowBounds_.clear();
    for (const auto& path : scene_.layout.paths) {
        QRectF bounds;
        for (const QPointF& point : path)
            bounds |= QRectF(point - QPointF(1, 1), QSizeF(2, 2));
        arrowBounds_.push_back(bounds);
    }
    update();
}

void GraphCanvas::setLayout(models::GraphLayout layout) {
    const bool keep = touched_ && current_ >= 0 && size_t(current_) < scene_.layout.centers.size();
    const QPointF was = keep ? toWidget(scene_.layout.centers[size_t(current_)]) : QPointF();
    setPlaces(std::move(layout));
    if (keep)
        origin_ = scene_.layout.centers[size_t(current_)] - was / scale_;
    else
        startView();
}

void GraphCanvas::startView() {
    const QRectF& bounds = scene_.layout.bounds;
    if (width() < 10 || bounds.isEmpty())
        return;
    const double whole = std::min(width() / bounds.width(), height() / bounds.height());
    scale_ = std::clamp(whole, startScale, 1.0);
    if (bounds.width() * startScale > width())
        scale_ = std::clamp(width() / bounds.width(), smallestStartScale, startScale);
    // The top, centred on the first input: where reading starts.
    const double wide = width() / scale_;
    double left = bounds.center().x() - wide / 2;
    if (bounds.width() > wide && !scene_.layout.centers.empty())
        left = std::clamp(scene_.layout.centers[0].x() - wide / 2, bounds.left(), bounds.right() - wide);
    origin_ = {left, bounds.top()};
    if (bounds.height() * scale_ < height())
        origin_.setY(bounds.center().y() - height() / scale_ / 2);
    startPending_ = false;
    // What was asked for, be it before the first paint or before the final layout, stays in sight.
    if (current_ >= 0)
        reveal(current_);
    update();
}

void GraphCanvas::fit() {
    const QRectF& bounds = scene_.layout.bounds;
    if (bounds.isEmpty())
        return;
    scale_ = std::min({width() / bounds.width(), height() / bounds.height(), 1.2});
    moveTo(bounds.center());
}

void GraphCanvas::moveTo(QPointF scenePoint) {
    origin_ = scenePoint - QPointF(width(), height()) / scale_ / 2;
    update();
}

void GraphCanvas::keepInSight() {
    const QRectF& bounds = scene_.layout.bounds;
    const QPointF size(width() / scale_, height() / scale_);
    const QPointF least(std::min(40 / scale_, bounds.width()), std::min(40 / scale_, bounds.height()));
    origin_.setX(std::clamp(origin_.x(), bounds.left() + least.x() - size.x(), bounds.right() - least.x()));
    origin_.setY(std::clamp(origin_.y(), bounds.top() + least.y() - size.y(), bounds.bottom() - least.y()));
}

void GraphCanvas::zoom(double factor, QPointF around) {
    const QPointF fixed = toScene(around);
    scale_ = std::clamp(scale_ * factor, std::min(minimalScale, scale_), maximalScale);
    origin_ = fixed - around / scale_;
    keepInSight();
    touched_ = true;
    update();
}

void GraphCanvas::setOverlay(models::Overlay overlay, const QString& note) {
    overlay_ = std::move(overlay);
    note_ = note;
    update();
}

void GraphCanvas::setSelected(const std::vector<int>& boxes) {
    const int before = current_;
    selected_.assign(scene_.picture.boxes.size(), 0);
    for (int box : boxes)
        if (box >= 0 && size_t(box) < selected_.size())
            selected_[box] = 1;
    // Who opened a group or walked to it is still at it, and not at the first node in it.
    const bool around = current_ >= 0 && !boxes.empty() && scene_.picture.boxes[size_t(current_)].open &&
                        boxes.front() > current_ && boxes.back() < scene_.picture.boxes[size_t(current_)].lastBox;
    if (!boxes.empty() && !around && (current_ < 0 || !selected_[size_t(current_)]))
        current_ = boxes.front();
    if (boxes.empty())
        current_ = -1;
    if (current_ != before)
        tellCurrent();
    update();
}

void GraphCanvas::reveal(int box) {
    if (box < 0 || size_t(box) >= scene_.layout.centers.size())
        return;
    if (scale_ < readableScale)
        scale_ = 0.8;
    const QRectF view(origin_, QSizeF(width(), height()) / scale_);
    const double edge = 20 / scale_;
    QRectF rect = rectOf(scene_, box);
    if (scene_.picture.boxes[size_t(box)].open) // its title and what comes first in it
        rect.setHeight(std::min(rect.height(), view.height() / 2));
    if (!view.adjusted(edge, edge, -edge, -edge).contains(rect))
        moveTo(rect.center());
    update();
}

QRectF GraphCanvas::boxOnScreen(int box) const {
    const QRectF rect = rectOf(scene_, box);
    return {toWidget(rect.topLeft()), rect.size() * scale_};
}

int GraphCanvas::boxAt(QPointF widgetPoint) const {
    const QPointF point = toScene(widgetPoint);
    int hit = -1;
    for (int i = 0; i < int(scene_.picture.boxes.size());) {
        const models::GraphBox& box = scene_.picture.boxes[size_t(i)];
        const bool inside = rectOf(scene_, i).contains(point);
        if (inside)
            hit = i;
        i = inside && box.open ? i + 1 : box.lastBox;
    }
    // In an open group only its title is the group; the rest is ground to drag.
    if (hit >= 0 && scene_.picture.boxes[size_t(hit)].open &&
        point.y() > rectOf(scene_, hit).top() + models::frameTitle)
        return -1;
    return hit;
}

int GraphCanvas::arrowAt(QPointF widgetPoint) const {
    const QPointF point = toScene(widgetPoint);
    const double reach = 5 / scale_;
    for (int i = 0; i < int(arrowBounds_.size()); ++i) {
        if (!arrowBounds_[size_t(i)].adjusted(-reach, -reach, reach, reach).contains(point))
            continue;
        const auto& points = scene_.layout.paths[size_t(i)];
        QPainterPath path(points[0]);
        for (size_t k = 1; k + 2 < points.size(); k += 3)
            path.cubicTo(points[k], points[k + 1], points[k + 2]);
        QPainterPathStroker stroker;
        stroker.setWidth(2 * reach);
        if (stroker.createStroke(path).contains(point))
            return i;
    }
    return -1;
}

std::vector<int> GraphCanvas::boxesInSight() const {
    std::vector<int> boxes;
    const QRectF view(origin_, QSizeF(width(), height()) / scale_);
    for (int i = 0; i < int(scene_.picture.boxes.size());) {
        const models::GraphBox& box = scene_.picture.boxes[size_t(i)];
        const bool seen = rectOf(scene_, i).intersects(view);
        const bool around = current_ > i && current_ < box.lastBox;
        if (seen || i == current_)
            boxes.push_back(i);
        i = seen || around ? i + 1 : box.lastBox;
    }
    return boxes;
}

int GraphCanvas::boxOfGroup(int group) const {
    for (size_t i = 0; group >= 0 && i < scene_.picture.boxes.size(); ++i)
        if (scene_.picture.boxes[i].group == group)
            return int(i);
    return -1;
}

int GraphCanvas::frameAround(int box) const {
    for (int i = box - 1; i >= 0; --i)
        if (scene_.picture.boxes[size_t(i)].open && scene_.picture.boxes[size_t(i)].lastBox > box)
            return i;
    return -1;
}

void GraphCanvas::choose(int box) {
    pick(box);
    reveal(box);
}

void GraphCanvas::pick(int box) {
    current_ = box;
    QString description;
    if (box >= 0) {
        const models::GraphBox& value = scene_.picture.boxes[size_t(box)];
        description = value.title + ' ' + value.subtitle + ' ' + value.reason;
        if (value.group >= 0)
            description = (value.open ? tr("Open group %1") : tr("Closed group %1")).arg(description);
    }
    setAccessibleDescription(description);
    emit boxPicked(box);
    tellCurrent();
    update();
}

void GraphCanvas::tellCurrent() {
    if (!QAccessible::isActive() || !hasFocus() || current_ < 0)
        return;
    const auto boxes = boxesInSight();
    QAccessibleEvent event(this, QAccessible::Focus);
    event.setChild(int(std::ranges::find(boxes, current_) - boxes.begin()));
    QAccessible::updateAccessibility(&event);
}

GraphView GraphCanvas::view() const {
    return {scene_, arrowBounds_, overlay_, selected_, current_, models::colorsFor(palette())};
}

void GraphCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const models::Colors colors = models::colorsFor(palette());
    painter.fillRect(rect(), colors.canvas);
    if (scene_.picture.boxes.empty()) {
        painter.setPen(colors.dimText);
        painter.drawText(rect().adjusted(40, 40, -40, -40), Qt::AlignCenter | Qt::TextWordWrap, message_);
    } else {
        painter.save();
        painter.scale(scale_, scale_);
        painter.translate(-origin_);
        paintPicture(painter, {origin_, QSizeF(width(), height()) / scale_}, scale_);
        painter.restore();
        paintOverviewFrame(painter);
        painter.setRenderHint(QPainter::Antialiasing);
        if (!note_.isEmpty())
            paintNote(painter, colors);
    }
    if (hasFocus()) {
        painter.setPen(QPen(colors.selection, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void GraphCanvas::paintPicture(QPainter& painter, const QRectF& visible, double scale) const {
    paintGraph(painter, view(), visible, scale);
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

QRectF GraphCanvas::overviewFrame() const {
    const QRectF& bounds = scene_.layout.bounds;
    if (bounds.isEmpty() || QRectF(origin_, QSizeF(width(), height()) / scale_).contains(bounds) || height() < 240)
        return {};
    const double widest = std::min(overviewWidth, width() / 4.0); // of two that stand side by side it hides less
    const double zoom = std::min(
        {widest / bounds.width(), overviewHeight / bounds.height(), (height() - 2 * margin) / bounds.height()});
    const QSizeF size = (bounds.size() * zoom).expandedTo(QSizeF(4, 4));
    return {QPointF(width() - size.width() - margin, margin), size};
}

void GraphCanvas::paintOverviewFrame(QPainter& painter) const {
    const QRectF frame = overviewFrame();
    if (frame.isEmpty())
        return;
    const GraphView view = this->view();
    const QRectF& bounds = scene_.layout.bounds;
    const double zoom = frame.width() / bounds.width();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(view.colors.boxBorder);
    QColor back = view.colors.box;
    back.setAlphaF(0.85F);
    painter.setBrush(back);
    painter.drawRect(frame.adjusted(-4, -4, 4, 4));
    painter.save();
    painter.translate(frame.topLeft());
    painter.scale(zoom, frame.height() / bounds.height());
    painter.translate(-bounds.topLeft());
    paintOverview(painter, view, zoom);
    painter.restore();
    const QRectF seen(frame.topLeft() + (origin_ - bounds.topLeft()) * zoom, QSizeF(width(), height()) / scale_ * zoom);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(view.colors.selection, 1.2));
    painter.drawRect(seen.intersected(frame.adjusted(-3, -3, 3, 3)));
}

void GraphCanvas::moveByOverview(QPointF widgetPoint) {
    const QRectF frame = overviewFrame();
    if (frame.isEmpty())
        return;
    const QPointF share((widgetPoint.x() - frame.left()) / frame.width(),
                        (widgetPoint.y() - frame.top()) / frame.height());
    const QRectF& bounds = scene_.layout.bounds;
    touched_ = true;
    moveTo(bounds.topLeft() + QPointF(std::clamp(share.x(), 0.0, 1.0) * bounds.width(),
                                      std::clamp(share.y(), 0.0, 1.0) * bounds.height()));
}

void GraphCanvas::resizeEvent(QResizeEvent*) {
    if (startPending_ || !touched_)
        startView();
}

} // namespace lathe::views::canvas
