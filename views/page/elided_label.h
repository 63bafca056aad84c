// SPDX-License-Identifier: GPL-3.0-or-later
//
// A line of text that may have less room than it needs: dots say that some of its middle is left out.
#pragma once

#include <QLabel>
#include <QPainter>
#include <QStyle>

namespace lathe::views {

class ElidedLabel : public QLabel {
public:
    ElidedLabel() {
        setTextFormat(Qt::PlainText);
        setMinimumWidth(1);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const QRect room = contentsRect();
        const QString shown = fontMetrics().elidedText(text(), Qt::ElideMiddle, room.width());
        style()->drawItemText(&painter, room, int(alignment()), palette(), isEnabled(), shown, foregroundRole());
    }
};

} // namespace lathe::views
