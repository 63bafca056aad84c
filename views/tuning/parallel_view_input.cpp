// SPDX-License-Identifier: GPL-3.0-or-later
//
// Mouse and keys over parallel axes: a drag along an axis asks for a range, one of its title moves the axis.
#include "views/tuning/parallel_view.h"

#include "views/models/text/plain_tip.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <utility>

namespace lathe::views::tuning {
namespace {

constexpr double reachOfAxis = 14; // from an axis that still counts as on it
constexpr double moved = 4;        // pixels that make a click a drag

} // namespace

void ParallelView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || picture_.axes.empty())
        return;
    pressed_ = at_ = event->position();
    const bool isTitle = pressed_.y() < body().top() - 6;
    const int axis = axisAt(pressed_.x(), isTitle ? titleOf(0).width() / 2 : reachOfAxis);
    if (axis < 0)
        return;
    drag_ = isTitle ? Drag::Axis : Drag::Range;
    dragged_ = axis;
    goTo(axis);
}

void ParallelView::mouseMoveEvent(QMouseEvent* event) {
    if (drag_ == Drag::None)
        return;
    at_ = event->position();
    update();
}

void ParallelView::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = std::exchange(drag_, Drag::None);
    if (drag == Drag::None || event->button() != Qt::LeftButton)
        return;
    at_ = event->position();
    const bool isClick = (at_ - pressed_).manhattanLength() < moved;
    if (drag == Drag::Axis && !isClick)
        move(dragged_, axisAt(at_.x(), width()));
    else if (drag == Drag::Range)
        askFor(dragged_, isClick ? std::nullopt
                                 : std::optional(Range{placeAt(dragged_, pressed_.y()), placeAt(dragged_, at_.y())}));
    update();
}

void ParallelView::move(int axis, int to) {
    if (to < 0 || to >= int(axes_.size()) || to == axis)
        return;
    const int question = axes_[size_t(axis)];
    axes_.erase(axes_.begin() + axis);
    axes_.insert(axes_.begin() + to, question);
    current_ = to;
    makePicture();
}

void ParallelView::goTo(int axis) {
    if (axis != current_) {
        current_ = axis;
        place_ = anchor_ = 0;
    }
    describe();
    update();
}

void ParallelView::keyPressEvent(QKeyEvent* event) {
    if (picture_.axes.empty())
        return QWidget::keyPressEvent(event);
    const int last = int(axes_.size()) - 1, top = picture_.axes[size_t(current_)].places - 1;
    const bool spans = event->modifiers() & Qt::ShiftModifier;
    const int step = picture_.axes[size_t(current_)].question == models::ratioAxis ? models::ratioPlaces / 32 : 1;
    const auto along = [&](int place) {
        place_ = std::clamp(place, 0, top);
        if (spans)
            askFor(current_, Range{anchor_, place_});
        else
            anchor_ = place_;
        describe();
        update();
    };
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right: {
        const int to = std::clamp(current_ + (event->key() == Qt::Key_Right ? 1 : -1), 0, last);
        return event->modifiers() & Qt::ControlModifier ? move(current_, to) : goTo(to);
    }
    case Qt::Key_Up:
        return along(place_ + step);
    case Qt::Key_Down:
        return along(place_ - step);
    case Qt::Key_Home:
        return along(0);
    case Qt::Key_End:
        return along(top);
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
        return askFor(current_, std::nullopt);
    default:
        return QWidget::keyPressEvent(event);
    }
}

void ParallelView::describe() {
    if (picture_.axes.empty())
        return setAccessibleDescription({});
    const int place = std::min(place_, picture_.axes[size_t(current_)].places - 1);
    const auto& range = ranges_[size_t(current_)];
    setAccessibleDescription(
        tr("Axis %1 of %2: %3, at %4. %5")
            .arg(current_ + 1)
            .arg(axes_.size())
            .arg(picture_.axes[size_t(current_)].name, labelOf(current_, place),
                 range ? tr("From %1 to %2.").arg(labelOf(current_, range->from), labelOf(current_, range->to))
                       : tr("All values.")));
}

bool ParallelView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int axis = picture_.axes.empty() ? -1 : axisAt(help->pos().x(), reachOfAxis);
        QToolTip::showText(help->globalPos(),
                           axis < 0 ? QString()
                                    : models::plainTip(picture_.axes[size_t(axis)].name + QStringLiteral(" = ") +
                                                       labelOf(axis, placeAt(axis, help->pos().y()))),
                           this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace lathe::views::tuning
