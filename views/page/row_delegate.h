// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows of tables, trees and lists with room around their text: one line each, as high in one page as in another. Their tooltips
// are texts as they are: most show names of a model.
#pragma once

#include "views/models/one_line.h"
#include "views/models/plain_tip.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QStyledItemDelegate>
#include <QToolTip>
#include <algorithm>

namespace lathe::views {

constexpr int rowHeight = 26;
constexpr int widestCell = 90; // letters: a column is not as wide as the longest name of a model

class RowDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QString displayText(const QVariant& value, const QLocale& locale) const override {
        return models::oneLine(QStyledItemDelegate::displayText(value, locale));
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QSize own = QStyledItemDelegate::sizeHint(option, index);
        return {std::min(own.width(), widestCell * option.fontMetrics.averageCharWidth()),
                std::max(own.height(), rowHeight)};
    }
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override {
        if (event->type() != QEvent::ToolTip)
            return QStyledItemDelegate::helpEvent(event, view, option, index);
        QToolTip::showText(event->globalPos(), models::plainTip(index.data(Qt::ToolTipRole).toString()),
                           view->viewport(), option.rect);
        return true;
    }
};

} // namespace lathe::views
