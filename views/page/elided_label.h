// SPDX-License-Identifier: GPL-3.0-or-later
//
// A line of text that may have less room than it needs: dots say that some of its middle is left out. Most show names of a model,
// which may be anything: it stays one line, asks for no more room than that, and has a tooltip where it is cut.
#pragma once

#include "views/models/text/one_line.h"
#include "views/models/text/plain_tip.h"

#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

namespace lathe::views {

class ElidedLabel : public QLabel {
public:
    ElidedLabel() { setTextFormat(Qt::PlainText); }

    QSize sizeHint() const override {
        const QMargins around = contentsMargins() + QMargins(margin(), margin(), margin(), margin());
        constexpr int rounded = 1; // the width is no whole number of pixels
        return {fontMetrics().horizontalAdvance(models::oneLine(text())) + rounded + around.left() + around.right(),
                fontMetrics().height() + around.top() + around.bottom()};
    }
    QSize minimumSizeHint() const override { return {1, sizeHint().height()}; }

protected:
    bool event(QEvent* event) override {
        if (event->type() != QEvent::ToolTip || !toolTip().isEmpty())
            return QLabel::event(event);
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                           width() < sizeHint().width() ? models::plainTip(text()) : QString(), this);
        return true;
    }
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const QRect room = contentsRect() - QMargins(margin(), margin(), margin(), margin());
        const QString shown = fontMetrics().elidedText(models::oneLine(text()), Qt::ElideMiddle, room.width());
        style()->drawItemText(&painter, room, int(alignment()), palette(), isEnabled(), shown, foregroundRole());
    }
};

} // namespace lathe::views
