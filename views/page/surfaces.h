// SPDX-License-Identifier: GPL-3.0-or-later
//
// What pages that are read from top to bottom are made of: headings, plain texts, cards that stand out from the page, and the
// room between them.
#pragma once

#include <QBoxLayout>
#include <QFrame>
#include <QLabel>
#include <QScrollArea>

namespace lathe::views {

inline constexpr int room = 12; // around what belongs together, in pixels

/// `factor` times as large as other texts.
inline QLabel* sized(QLabel* label, double factor, bool bold = false) {
    QFont font = label->font();
    font.setPointSizeF(font.pointSizeF() * factor);
    font.setBold(bold);
    label->setFont(font);
    return label;
}

/// As it is: it may have names of a model.
inline QLabel* plain(const QString& text) {
    auto label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    return label;
}

inline QLabel* heading(const QString& text) {
    constexpr double larger = 1.15;
    return sized(plain(text), larger, true);
}

inline QFrame* card() {
    auto frame = new QFrame;
    frame->setFrameShape(QFrame::StyledPanel);
    frame->setAutoFillBackground(true);
    frame->setBackgroundRole(QPalette::Base);
    return frame;
}

/// All of the page, which scrolls where it has less room than that.
inline void fill(QWidget& page, QWidget* content) {
    auto area = new QScrollArea;
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    auto layout = new QVBoxLayout(&page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(area);
}

/// Takes all widgets out. They go later: one of them may be the button whose click led here.
inline void empty(QBoxLayout& layout) {
    while (QLayoutItem* item = layout.takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->setParent(nullptr);
            widget->deleteLater();
        }
        delete item;
    }
}

} // namespace lathe::views
