// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/flame_view.h"

#include "views/models/profile/flame.h"
#include "views/models/text/colors.h"
#include "views/models/text/plain_tip.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

namespace lathe::views::profile {

using inspect::FlameBox;

namespace {

constexpr double narrowest = 0.7, narrowestText = 24; // pixels

} // namespace

FlameView::FlameView(models::Selection* selection)
    : selection_(selection), flame_(std::make_shared<const inspect::Flame>()) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Time by the model's scopes"));
    connect(selection_, &models::Selection::changed, this, qOverload<>(&QWidget::update));
}

void FlameView::setFlame(std::shared_ptr<const inspect::Flame> flame) {
    flame_ = flame ? std::move(flame) : std::make_shared<const inspect::Flame>();
    zoomed_ = current_ = 0;
    slowest_ = 0;
    for (const FlameBox& box : flame_->boxes)
        if (box.call >= 0)
            slowest_ = std::max(slowest_, box.ms);
    setMinimumHeight(flame_->depth() * rowHeight() + 1);
    setAccessibleDescription({});
    update();
}

int FlameView::rowHeight() const {
    return fontMetrics().height() + 8;
}

QRectF FlameView::rectOf(int box) const {
    const FlameBox &value = flame_->boxes[size_t(box)], &whole = flame_->boxes[size_t(zoomed_)];
    if (whole.ms <= 0)
        return {};
    const double scale = width() / whole.ms;
    const double left = std::max(0.0, (value.start - whole.start) * scale);
    const double right = std::min(double(width()), (value.start + value.ms - whole.start) * scale);
    return right > left ? QRectF(left, value.depth * rowHeight(), right - left, rowHeight()) : QRectF();
}

std::vector<int> FlameView::shown() const {
    std::vector<int> result;
    if (flame_->boxes.empty())
        return result;
    std::vector<int> todo{0};
    while (!todo.empty()) {
        const int box = todo.back();
        todo.pop_back();
        if (rectOf(box).width() < narrowest) // what is in it is no wider
            continue;
        result.push_back(box);
        const std::vector<int>& children = flame_->boxes[size_t(box)].children;
        todo.insert(todo.end(), children.rbegin(), children.rend());
    }
    return result;
}

int FlameView::boxAt(QPointF pixel) const {
    for (const int box : shown())
        if (rectOf(box).contains(pixel))
            return box;
    return -1;
}

int FlameView::besideCurrent(bool right) const {
    const FlameBox& from = flame_->boxes[size_t(current_)];
    int best = current_;
    for (const int box : shown()) { // from the left
        const FlameBox& value = flame_->boxes[size_t(box)];
        if (value.depth != from.depth || box == current_ || (value.start > from.start) != right)
            continue;
        best = box;
        if (right)
            break;
    }
    return best;
}

bool FlameView::isSelected(const FlameBox& box) const {
    if (box.call < 0)
        return false;
    const int call = selection_->place().call;
    return call >= 0 ? box.call == call
                     : std::ranges::any_of(box.nodes, [&](int node) { return selection_->contains(node); });
}

void FlameView::pick(int box) {
    current_ = box;
    const FlameBox& value = flame_->boxes[size_t(box)];
    setAccessibleDescription(models::textOf(*flame_, value));
    selection_->set({value.nodes, value.call});
    update();
}

void FlameView::zoomTo(int box) {
    zoomed_ = box;
    update();
}

void FlameView::paintEvent(QPaintEvent* /*event*/) {
    const models::Colors colors = models::colorsFor(palette());
    QPainter painter(this);
    painter.fillRect(rect(), palette().base());
    const std::vector<int> boxes = shown();
    const auto outline = [&](int box, double width) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colors.selection, width));
        painter.drawRect(rectOf(box).adjusted(1, 1, -1.5, -1.5));
    };
    for (const int box : boxes) {
        const FlameBox& value = flame_->boxes[size_t(box)];
        const QRectF area = rectOf(box);
        const QColor fill = value.call >= 0 && slowest_ > 0 ? colors.ofShare(value.ms / slowest_) : colors.box;
        if (area.width() < 3) { // its border would be all of it
            painter.fillRect(area.adjusted(0, 0, 0, -1), value.call >= 0 ? fill : colors.boxBorder);
            continue;
        }
        painter.setPen(colors.boxBorder);
        painter.setBrush(fill);
        painter.drawRect(area.adjusted(0, 0, -0.5, -0.5));
        if (area.width() >= narrowestText) {
            const QRectF inside = area.adjusted(5, 0, -4, 0);
            painter.setPen(value.depth < flame_->boxes[size_t(zoomed_)].depth ? colors.dimText : colors.text);
            const QString name = QString::fromStdString(value.name);
            const QString whole = tr("%1  %2 ms").arg(name, QString::number(value.ms, 'g', 3));
            const bool fits = fontMetrics().horizontalAdvance(whole) <= inside.width();
            painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                             fits ? whole : fontMetrics().elidedText(name, Qt::ElideRight, int(inside.width())));
        }
    }
    for (const int box : boxes)
        if (isSelected(flame_->boxes[size_t(box)]) || (box == current_ && hasFocus()))
            outline(box, box == current_ && hasFocus() ? 3 : 2);
}

void FlameView::mousePressEvent(QMouseEvent* event) {
    if (const int box = boxAt(event->position()); box >= 0 && event->button() == Qt::LeftButton)
        pick(box);
}

void FlameView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const int box = boxAt(event->position()); box >= 0 && event->button() == Qt::LeftButton)
        zoomTo(box);
}

void FlameView::keyPressEvent(QKeyEvent* event) {
    if (flame_->boxes.empty())
        return QWidget::keyPressEvent(event);
    const FlameBox& current = flame_->boxes[size_t(current_)];
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        return pick(besideCurrent(event->key() == Qt::Key_Right));
    case Qt::Key_Up:
        return pick(std::max(0, current.parent));
    case Qt::Key_Down:
        return pick(current.children.empty() ? current_ : current.children.front());
    case Qt::Key_Home:
        return pick(0);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return zoomTo(current_);
    case Qt::Key_Backspace:
    case Qt::Key_Escape:
        if (zoomed_ > 0)
            return zoomTo(flame_->boxes[size_t(zoomed_)].parent);
        break;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

bool FlameView::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) { // here these keys are this picture's
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (zoomed_ > 0 && (key == Qt::Key_Escape || key == Qt::Key_Backspace))
            event->accept();
    }
    if (event->type() == QEvent::ToolTip) {
        const auto help = static_cast<QHelpEvent*>(event);
        const int box = boxAt(help->pos());
        QToolTip::showText(help->globalPos(),
                           models::plainTip(box < 0 ? QString() : models::textOf(*flame_, flame_->boxes[size_t(box)])),
                           this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace lathe::views::profile
