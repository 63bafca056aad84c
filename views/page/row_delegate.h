// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows of tables, trees and lists with room around their text: one line each, as high in one page as in another. Their tooltips
// are texts as they are: most show names of a model. Cells with words that are searched for stand out.
#pragma once

#include "views/models/text/colors.h"
#include "views/models/text/one_line.h"
#include "views/models/text/plain_tip.h"
#include "views/models/text/sought_words.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QStyledItemDelegate>
#include <QToolTip>
#include <algorithm>

namespace lathe::views {

constexpr int rowHeight = 26;
constexpr int widestCell = 90; // letters: a column is not as wide as the longest name of a model

/// A property of a view: it may have a delegate a column.
constexpr auto soughtProperty = "sought";

/// From now on cells with one of these words stand out.
inline void markSought(QAbstractItemView& view, const models::SoughtWords& words) {
    view.setProperty(soughtProperty, words.isEmpty() ? QVariant() : QVariant::fromValue(words));
    view.viewport()->update();
}

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

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const QVariant sought = option->widget ? option->widget->property(soughtProperty) : QVariant();
        if (sought.isValid() && sought.value<models::SoughtWords>().anyIn(option->text))
            option->backgroundBrush = models::colorsFor(option->palette).sought;
    }
};

} // namespace lathe::views
