// SPDX-License-Identifier: GPL-3.0-or-later
//
// What GraphCanvas does on mouse and keys.
#include "views/canvas/graph_canvas.h"

#include "views/models/text/plain_tip.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>
#include <limits>

namespace lathe::views::canvas {

bool GraphCanvas::activate(int box) {
    if (box < 0)
        return false;
    const models::GraphBox value = scene_.picture.boxes[size_t(box)];
    if (value.group >= 0)
        emit groupToggled(value.group);
    else if (value.hasNested)
        emit nestedOpened(box);
    else if (value.leadsTo >= 0)
        emit nodeWanted(value.leadsTo);
    else
        return false;
    return true;
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    const QPoint angle = event->angleDelta();
    if (event->modifiers() & (Qt::ShiftModifier | Qt::AltModifier)) {
        origin_ -= QPointF(angle.x() + angle.y(), 0) / scale_;
        keepInSight();
        touched_ = true;
        update();
    } else {
        zoom(std::pow(1.0015, angle.y()), event->position());
    }
    event->accept();
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->position();
    inOverview_ = overviewFrame().contains(pressed_);
    panning_ = !inOverview_;
    moved_ = false;
    if (inOverview_)
        moveByOverview(pressed_);
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (inOverview_)
        return moveByOverview(event->position());
    if (!panning_)
        return;
    const QPointF delta = event->position() - pressed_;
    if (!moved_ && delta.manhattanLength() < QApplication::startDragDistance())
        return;
    moved_ = touched_ = true;
    setCursor(Qt::ClosedHandCursor);
    origin_ -= delta / scale_;
    keepInSight();
    pressed_ = event->position();
    update();
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    unsetCursor();
    const bool clicked = panning_ && !moved_ && event->button() == Qt::LeftButton;
    panning_ = inOverview_ = false;
    if (!clicked)
        return;
    const int box = boxAt(event->position());
    pick(box);
    if (box >= 0 && scene_.picture.boxes[size_t(box)].group >= 0 &&
        handleOf(scene_, box).contains(toScene(event->position())))
        activate(box);
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    pressed_ = event->position();
    const int box = boxAt(pressed_);
    // On the handle the first click has done it.
    if (box >= 0 && event->button() == Qt::LeftButton && !handleOf(scene_, box).contains(toScene(pressed_)))
        activate(box);
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
    const int box = event->reason() == QContextMenuEvent::Mouse ? boxAt(event->pos()) : current_;
    emit menuWanted(box, event->globalPos());
}

int GraphCanvas::alongArrows(int box, bool down) const {
    const QPointF here = scene_.layout.centers[size_t(box)];
    int best = -1;
    double distance = std::numeric_limits<double>::max();
    for (const models::GraphArrow& arrow : scene_.picture.arrows) {
        if ((down ? arrow.from : arrow.to) != box)
            continue;
        const int other = down ? arrow.to : arrow.from;
        const QPointF away = scene_.layout.centers[size_t(other)] - here;
        const double length = std::abs(away.x()) + std::abs(away.y());
        if (length < distance)
            distance = length, best = other;
    }
    return best;
}

int GraphCanvas::neighbour(int key) const {
    const auto& boxes = scene_.picture.boxes;
    if (boxes.empty())
        return -1;
    if (current_ < 0)
        return 0;
    if (key == Qt::Key_Down) {
        if (boxes[size_t(current_)].open && boxes[size_t(current_)].lastBox > current_ + 1)
            return current_ + 1;
        // At the end of a group: on behind it.
        int next = -1;
        for (int from = current_; from >= 0 && next < 0; from = frameAround(from))
            next = alongArrows(from, true);
        return next;
    }
    if (key == Qt::Key_Up) {
        const int next = alongArrows(current_, false);
        return next >= 0 ? next : frameAround(current_);
    }
    const QPointF here = scene_.layout.centers[size_t(current_)];
    int best = -1;
    double distance = std::numeric_limits<double>::max();
    for (size_t i = 0; i < boxes.size(); ++i) {
        const QPointF away = scene_.layout.centers[i] - here;
        const double length = std::abs(away.x()) + std::abs(away.y());
        const bool side = key == Qt::Key_Right ? away.x() > 1 : away.x() < -1;
        if (side && std::abs(away.y()) < 80 && length < distance)
            distance = length, best = int(i);
    }
    return best;
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    const QPointF middle(width() / 2.0, height() / 2.0);
    const bool group = current_ >= 0 && scene_.picture.boxes[size_t(current_)].group >= 0;
    const bool open = group && scene_.picture.boxes[size_t(current_)].open;
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        if (group && !open)
            activate(current_);
        else
            zoom(1.25, middle);
        return;
    case Qt::Key_Minus:
        if (open)
            activate(current_);
        else
            zoom(0.8, middle);
        return;
    case Qt::Key_0:
        return zoom(1 / scale_, middle);
    case Qt::Key_F:
        if (event->modifiers() == Qt::NoModifier)
            return fit();
        break;
    case Qt::Key_Home:
    case Qt::Key_End:
        if (!scene_.picture.boxes.empty()) {
            choose(event->key() == Qt::Key_Home ? 0 : int(scene_.picture.boxes.size()) - 1);
        }
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        activate(current_);
        return;
    case Qt::Key_Backspace:
        emit leaveWanted();
        return;
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (const int next = neighbour(event->key()); next >= 0)
            choose(next);
        return;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

bool GraphCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto help = static_cast<QHelpEvent*>(event);
        const int box = boxAt(help->pos());
        if (box < 0) {
            const int arrow = arrowAt(help->pos());
            if (arrow >= 0) {
                const models::GraphArrow& value = scene_.picture.arrows[size_t(arrow)];
                const auto groupOf = [&](int end) { return scene_.picture.boxes[size_t(end)].group; };
                const auto said = overlay_.between.find({groupOf(value.from), groupOf(value.to)});
                QStringList lines{value.value, value.type, said == overlay_.between.end() ? QString() : said->second};
                lines.removeAll(QString());
                QToolTip::showText(help->globalPos(), models::plainTip(lines.join('\n')), this);
            } else {
                QToolTip::hideText();
            }
            return true;
        }
        const models::GraphBox& value = scene_.picture.boxes[size_t(box)];
        QStringList lines{value.title, value.subtitle};
        lines += value.lines;
        if (value.refused)
            lines << value.reason;
        if (const models::NodeOverlay* overlay = overlayOf(overlay_, value))
            lines << overlay->hint;
        lines.removeAll(QString());
        QToolTip::showText(help->globalPos(), models::plainTip(lines.join('\n')), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace lathe::views::canvas
