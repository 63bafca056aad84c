// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/timeline_view.h"

#include "views/models/text/colors.h"
#include "views/models/text/counted.h"
#include "views/models/text/plain_tip.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace lathe::views::profile {

using inspect::TimelineBox;

namespace {

constexpr double narrowestLabel = 24; // pixels
constexpr double shortest = 1e-3;     // ms that are seen at least

} // namespace

TimelineView::TimelineView(models::Selection* selection)
    : selection_(selection), timeline_(std::make_shared<const inspect::Timeline>()) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Timeline of threads"));
    connect(selection_, &models::Selection::changed, this, qOverload<>(&QWidget::update));
}

void TimelineView::setProfile(const inspect::Profile& profile) {
    timeline_ = profile.timeline ? profile.timeline : std::make_shared<const inspect::Timeline>();
    functions_ = profile.rows;
    functionOf_.clear();
    for (size_t i = 0; i < functions_.size(); ++i)
        functionOf_[functions_[i].call] = i;
    from_ = 0;
    to_ = timeline_->ms;
    left_ = fontMetrics().horizontalAdvance(tr("thread %1").arg(timeline_->threads.size())) + 16;
    setMinimumHeight((rows() + 1) * (fontMetrics().height() + 2));
    setAccessibleDescription({});
    update();
}

double TimelineView::rowHeight() const {
    return std::min(fontMetrics().height() * 2.0, double(height()) / (rows() + 1));
}

double TimelineView::pixelOf(double ms) const {
    return left_ + (to_ > from_ ? (ms - from_) / (to_ - from_) * (width() - left_) : 0);
}

double TimelineView::msOf(double pixel) const {
    return from_ + (pixel - left_) / std::max(1.0, width() - left_) * (to_ - from_);
}

QRectF TimelineView::rectOf(int row, const TimelineBox& box) const {
    const double x = pixelOf(box.beginMs), height = rowHeight() - 2;
    const double spared = row > 0 && box.chunks == 0 ? height / 4 : 0; // alone
    return {x, (row + 1) * rowHeight() + spared, pixelOf(box.endMs) - x, height - 2 * spared};
}

const std::vector<TimelineBox>& TimelineView::boxesOf(int row) const {
    return row == 0 ? timeline_->calls : timeline_->threads[size_t(row - 1)];
}

const TimelineBox* TimelineView::at(QPointF pixel) const {
    const int row = int(pixel.y() / rowHeight()) - 1;
    if (row < 0 || row >= rows() || pixel.x() < left_)
        return nullptr;
    const double ms = msOf(pixel.x()), slack = msOf(pixel.x() + 1.5) - ms; // one pixel wide is enough to be hit
    const std::vector<TimelineBox>& boxes = boxesOf(row);
    const auto found = std::ranges::lower_bound(boxes, ms - slack, {}, &TimelineBox::endMs);
    return found != boxes.end() && found->beginMs <= ms + slack ? &*found : nullptr;
}

QString TimelineView::textOf(const TimelineBox& box) const {
    const auto function = functionOf_.find(box.call);
    QString text = function == functionOf_.end() ? tr("between the calls")
                                                 : QString::fromStdString(functions_[function->second].function);
    text += tr("\n%1 ms, from %2 ms").arg(box.ms(), 0, 'g', 4).arg(box.beginMs, 0, 'f', 3);
    if (box.chunks > 0)
        text += '\n' + tr("%1 of a parallel region").arg(models::counted(box.chunks, "chunk", "chunks"));
    else if (const auto& calls = timeline_->calls; &box < calls.data() || &box >= calls.data() + calls.size())
        text += '\n' + tr("outside of parallel regions: the other threads wait");
    return text;
}

void TimelineView::show(double from, double to) {
    const double length = std::clamp(to - from, std::min(shortest, timeline_->ms), timeline_->ms);
    from_ = std::clamp(from, 0.0, timeline_->ms - length);
    to_ = from_ + length;
    update();
}

void TimelineView::zoom(double factor, double aroundMs) {
    const double least = std::min(shortest, timeline_->ms);
    const double length = std::clamp((to_ - from_) / factor, least, std::max(least, timeline_->ms));
    const double part = to_ > from_ ? (aroundMs - from_) / (to_ - from_) : 0;
    show(aroundMs - part * length, aroundMs + (1 - part) * length);
}

void TimelineView::pick(const TimelineBox& box) {
    if (const auto& calls = timeline_->calls; &box >= calls.data() && &box < calls.data() + calls.size())
        current_ = size_t(&box - calls.data());
    setAccessibleDescription(textOf(box));
    if (const auto function = functionOf_.find(box.call); function != functionOf_.end())
        selection_->set({functions_[function->second].nodes, box.call});
}

void TimelineView::step(bool forward) {
    const std::vector<TimelineBox>& calls = timeline_->calls;
    if (calls.empty())
        return;
    const int call = selection_->place().call;
    if (current_ >= calls.size() || calls[current_].call != call) // it was selected elsewhere
        current_ = size_t(std::ranges::find(calls, call, &TimelineBox::call) - calls.begin());
    if (current_ == calls.size())
        current_ = forward ? 0 : calls.size() - 1;
    else
        current_ = forward ? std::min(current_ + 1, calls.size() - 1) : std::max<size_t>(current_, 1) - 1;
    const TimelineBox* next = &calls[current_];
    pick(*next);
    if (next->beginMs < from_ || next->endMs > to_) {
        const double middle = (next->beginMs + next->endMs) / 2, half = (to_ - from_) / 2;
        show(middle - half, middle + half);
    }
}

void TimelineView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), palette().base());
    paintTicks(painter);
    for (int row = 0; row < rows(); ++row)
        paintRow(painter, row);
}

void TimelineView::paintTicks(QPainter& painter) const {
    const models::Colors colors = models::colorsFor(palette());
    if (to_ <= from_)
        return;
    // Steps of 1, 2 or 5 times a power of ten, with room for their labels.
    const double wanted =
        (to_ - from_) * fontMetrics().horizontalAdvance(QStringLiteral("000.0000 ms")) * 1.3 / width();
    double step = std::pow(10, std::ceil(std::log10(wanted)));
    for (const double smaller : {0.2, 0.5})
        if (step * smaller >= wanted) {
            step *= smaller;
            break;
        }
    const int digits = std::max(0, int(-std::floor(std::log10(step))));
    for (auto tick = qint64(std::ceil(from_ / step)); double(tick) * step <= to_; ++tick) {
        const double x = pixelOf(double(tick) * step);
        painter.setPen(colors.grid);
        painter.drawLine(QPointF(x, rowHeight()), QPointF(x, (rows() + 1) * rowHeight()));
        const QString text = tr("%1 ms").arg(double(tick) * step, 0, 'f', digits);
        if (x + 3 + fontMetrics().horizontalAdvance(text) > width())
            continue; // a part of it would be another time
        painter.setPen(colors.dimText);
        painter.drawText(QRectF(x + 3, 0, width(), rowHeight()), Qt::AlignVCenter | Qt::AlignLeft, text);
    }
}

void TimelineView::paintRow(QPainter& painter, int row) const {
    const models::Colors colors = models::colorsFor(palette());
    painter.setPen(colors.text);
    painter.drawText(QRectF(8, (row + 1) * rowHeight(), left_ - 8, rowHeight()), Qt::AlignVCenter | Qt::AlignLeft,
                     row == 0 ? tr("calls") : tr("thread %1").arg(row - 1));
    painter.save();
    painter.setClipRect(QRectF(left_, 0, width() - left_, height()));
    const std::vector<TimelineBox>& boxes = boxesOf(row);
    double painted = left_ - 1; // what ends before this pixel is hidden by its neighbours
    for (auto box = std::ranges::lower_bound(boxes, from_, {}, &TimelineBox::endMs);
         box != boxes.end() && box->beginMs <= to_;
         box = std::ranges::lower_bound(box + 1, boxes.end(), msOf(painted), {}, &TimelineBox::endMs)) {
        QRectF area = rectOf(row, *box);
        area.setWidth(std::max(1.0, area.width()));
        painted = area.right();
        const bool selected = box->call >= 0 && selection_->place().call == box->call;
        painter.fillRect(area, box->call < 0 ? colors.boxBorder : colors.ofFunction(box->call));
        if (selected) {
            painter.setPen(QPen(colors.selection, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(area.adjusted(1, 1, -1, -1));
        }
        const QRectF inside = area.intersected(QRectF(left_, 0, width(), height())).adjusted(4, 0, -3, 0);
        const auto function = functionOf_.find(box->call);
        if (row > 0 || inside.width() < narrowestLabel || function == functionOf_.end())
            continue;
        painter.setPen(colors.text);
        painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                         fontMetrics().elidedText(QString::fromStdString(functions_[function->second].function),
                                                  Qt::ElideRight, int(inside.width())));
    }
    painter.restore();
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->position();
    moved_ = false;
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    const double delta = event->position().x() - pressed_.x();
    if (!(event->buttons() & Qt::LeftButton) || (!moved_ && std::abs(delta) < QApplication::startDragDistance()))
        return;
    moved_ = true;
    const double ms = msOf(pressed_.x()) - msOf(event->position().x());
    show(from_ + ms, to_ + ms);
    pressed_ = event->position();
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || moved_)
        return;
    if (const TimelineBox* box = at(event->position()))
        pick(*box);
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPoint angle = event->angleDelta();
    if (event->modifiers() & (Qt::ShiftModifier | Qt::AltModifier)) {
        const double ms = (to_ - from_) * (angle.x() + angle.y()) / -1200.0;
        show(from_ + ms, to_ + ms);
    } else {
        zoom(std::pow(1.0015, angle.y()), msOf(event->position().x()));
    }
    event->accept();
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    const double middle = (from_ + to_) / 2;
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom(1.5, middle);
    case Qt::Key_Minus:
        return zoom(1 / 1.5, middle);
    case Qt::Key_0:
        return show(0, timeline_->ms);
    case Qt::Key_Left:
    case Qt::Key_Right:
        return step(event->key() == Qt::Key_Right);
    case Qt::Key_PageUp:
        return show(2 * from_ - to_, from_);
    case Qt::Key_PageDown:
        return show(to_, 2 * to_ - from_);
    default:
        QWidget::keyPressEvent(event);
    }
}

bool TimelineView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto help = static_cast<QHelpEvent*>(event);
        const TimelineBox* box = at(help->pos());
        QToolTip::showText(help->globalPos(), models::plainTip(box ? textOf(*box) : QString()), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace lathe::views::profile
