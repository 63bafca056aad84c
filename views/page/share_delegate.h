// SPDX-License-Identifier: GPL-3.0-or-later
//
// A cell with a share of the largest in its column (0 … 1, under Qt::UserRole) as a bar behind its text, in rows that are
// selected too.
#pragma once

#include "views/models/text/colors.h"
#include "views/page/row_delegate.h"

#include <QPainter>

namespace lathe::views {

class ShareDelegate : public RowDelegate {
public:
    using RowDelegate::RowDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        RowDelegate::paint(painter, option, index);
        const double share = index.data(Qt::UserRole).toDouble();
        const bool selected = option.state.testFlag(QStyle::State_Selected); // on a ground as strong as the bars
        QColor colour =
            selected ? option.palette.color(QPalette::HighlightedText) : models::colorsFor(option.palette).product;
        colour.setAlphaF(0.35F);
        QRectF bar = QRectF(option.rect).adjusted(2, 4, -2, -4);
        bar.setWidth(bar.width() * share);
        painter->fillRect(bar, colour);
    }
};

} // namespace lathe::views
