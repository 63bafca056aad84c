// SPDX-License-Identifier: GPL-3.0-or-later
//
// Heights are square roots: a pass that takes a thousandth of the longest one's time is still seen.
#include "views/passes/pass_strip.h"

#include "views/models/text/colors.h"

#include <QAccessibleWidget>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace lathe::views::passes {

namespace {

constexpr int margin = 8, widestBar = 44, leastHeight = 2;

double scaled(double value) {
    return std::copysign(std::sqrt(std::abs(value)), value);
}

/// For screen readers: the pass that is chosen is the strip's value.
class StripAccess : public QAccessibleWidget {
public:
    explicit StripAccess(QWidget* strip) : QAccessibleWidget(strip, QAccessible::Chart) {}

    QString text(QAccessible::Text what) const override {
        if (what != QAccessible::Value)
            return QAccessibleWidget::text(what);
        const auto* strip = static_cast<const PassStrip*>(widget());
        return strip->textOf(strip->current());
    }
};

QAccessibleInterface* accessTo(const QString&, QObject* object) {
    auto* strip = qobject_cast<PassStrip*>(object);
    return strip ? new StripAccess(strip) : nullptr;
}

} // namespace

PassStrip::PassStrip(const models::PassModel* passes, QWidget* parent) : QWidget(parent), passes_(passes) {
    static const bool installed = (QAccessible::installFactory(accessTo), true);
    Q_UNUSED(installed)
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Strip of passes"));
    connect(passes, &QAbstractItemModel::modelReset, this, [this] {
        current_ = -1;
        measureAll();
    });
    connect(passes, &QAbstractItemModel::dataChanged, this, &PassStrip::measureAll);
}

void PassStrip::setMeasure(Measure measure) {
    measure_ = measure;
    measureAll();
}

void PassStrip::setCurrent(int row) {
    if (row == current_)
        return;
    current_ = row;
    update();
    QAccessibleValueChangeEvent changed(this, textOf(row));
    QAccessible::updateAccessibility(&changed);
}

std::optional<double> PassStrip::valueOf(int row) const {
    const models::PassRow& pass = passes_->at(row);
    switch (measure_) {
    case Size:
        return pass.figures.delta.bindings ? pass.figures.delta.bindings : pass.figures.delta.statements;
    case Flops:
        return pass.figures.delta.flops;
    case Bytes:
        return pass.figures.delta.bytes;
    case Memory:
        return pass.figures.delta.peakBytes;
    default:
        return pass.ran ? std::optional(pass.ms) : std::nullopt;
    }
}

void PassStrip::measureAll() {
    above_ = below_ = 0;
    for (int row = 0; row < passes_->rowCount(); ++row) {
        const double value = scaled(valueOf(row).value_or(0));
        above_ = std::max(above_, value);
        below_ = std::max(below_, -value);
    }
    update();
}

QRect PassStrip::room() const {
    return rect().adjusted(margin, margin, -margin, -margin - fontMetrics().height());
}

QRect PassStrip::placeOf(int row) const {
    const QRect all = room();
    const int count = std::max(1, passes_->rowCount());
    const double width = std::min(double(all.width()) / count, double(widestBar));
    const int left = int(row * width), right = int((row + 1) * width);
    return {all.left() + left, all.top(), right - left, all.height()};
}

QRect PassStrip::barOf(int row) const {
    const std::optional<double> value = valueOf(row);
    const double range = above_ + below_;
    if (!value || *value == 0 || range == 0)
        return {};
    const QRect place = placeOf(row);
    const int gap = place.width() > 5 ? 1 : 0, line = place.top() + int(std::lround(place.height() * above_ / range));
    const int height = std::max(leastHeight, int(std::lround(place.height() * std::abs(scaled(*value)) / range)));
    return {place.left() + gap, *value > 0 ? line - height : line, place.width() - 2 * gap, height};
}

QString PassStrip::textOf(int row) const {
    return row >= 0 && row < passes_->rowCount() ? sentenceOf(passes_->at(row)) : QString();
}

int PassStrip::rowAt(const QPoint& place) const {
    for (int row = 0; row < passes_->rowCount(); ++row)
        if (const QRect own = placeOf(row); own.left() <= place.x() && place.x() <= own.right())
            return row;
    return -1;
}

void PassStrip::choose(int row) {
    if (row < 0 || row >= passes_->rowCount())
        return;
    setCurrent(row);
    emit chosen(row);
}

void PassStrip::paintEvent(QPaintEvent*) {
    const models::Colors colors = models::colorsFor(palette());
    QPainter painter(this);
    painter.fillRect(rect(), colors.canvas);
    const QRect all = room();
    const int count = passes_->rowCount();
    if (count == 0)
        return;
    if (current_ >= 0)
        painter.fillRect(placeOf(current_).adjusted(0, -margin / 2, 0, margin / 2), colors.marked);
    const double range = above_ + below_;
    const int line = range > 0 ? all.top() + int(std::lround(all.height() * above_ / range)) : all.bottom();
    painter.setPen(colors.boxBorder);
    painter.drawLine(all.left(), line, placeOf(count - 1).right(), line);
    if (range == 0) {
        painter.setPen(colors.dimText);
        painter.drawText(all, Qt::AlignCenter, tr("No pass changed this, or it is not known."));
    }
    for (int row = 0; row < count; ++row) {
        const models::PassRow& pass = passes_->at(row);
        const QRect bar = barOf(row);
        if (!bar.isEmpty())
            painter.fillRect(bar, pass.failed                                    ? colors.problem
                                  : measure_ != Time && valueOf(row).value() < 0 ? colors.good
                                  : pass.changed                                 ? colors.product
                                                                                 : colors.arrow);
        else if (pass.failed)
            painter.fillRect(QRect(placeOf(row).left(), line - 2, placeOf(row).width(), 4), colors.problem);
    }
    // Below them the stages, each as wide as its passes.
    painter.setPen(colors.dimText);
    for (int first = 0; first < count;) {
        int end = first + 1;
        while (end < count && passes_->at(end).stage == passes_->at(first).stage)
            ++end;
        QRect label = placeOf(first).united(placeOf(end - 1));
        label.setTop(all.bottom() + margin / 2);
        label.setHeight(fontMetrics().height());
        painter.setPen(colors.boxBorder);
        painter.drawLine(label.topLeft(), label.bottomLeft());
        painter.setPen(colors.dimText);
        label.setLeft(label.left() + 3);
        painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(passes_->at(first).stage, Qt::ElideRight, label.width()));
        first = end;
    }
    if (hasFocus()) {
        painter.setPen(QPen(colors.selection, 1));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

bool PassStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int row = rowAt(help->pos());
        QToolTip::showText(help->globalPos(), textOf(row), this, row < 0 ? QRect() : placeOf(row));
        return true;
    }
    return QWidget::event(event);
}

void PassStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        choose(rowAt(event->pos()));
}

void PassStrip::keyPressEvent(QKeyEvent* event) {
    const int last = passes_->rowCount() - 1;
    switch (event->key()) {
    case Qt::Key_Left:
        return choose(std::max(0, current_ - 1));
    case Qt::Key_Right:
        return choose(std::min(last, current_ + 1));
    case Qt::Key_Home:
        return choose(0);
    case Qt::Key_End:
        return choose(last);
    default:
        return QWidget::keyPressEvent(event);
    }
}

} // namespace lathe::views::passes
