// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows of tables, trees and lists with room around their text: as high in one page as in another. Their tooltips are texts as
// they are: most show names of a model.
#pragma once

#include "views/models/plain_tip.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QStyledItemDelegate>
#include <QToolTip>

namespace lathe::views {

constexpr int rowHeight = 26;

class RowDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return QStyledItemDelegate::sizeHint(option, index).expandedTo(QSize(0, rowHeight));
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
