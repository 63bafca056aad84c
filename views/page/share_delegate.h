// SPDX-License-Identifier: GPL-3.0-or-later
//
// A cell with a share (0 … 1, under Qt::UserRole) as a bar behind its text.
#pragma once

#include "views/models/colors.h"
#include "views/page/row_delegate.h"

#include <QPainter>

namespace lathe::views {

class ShareDelegate : public RowDelegate {
public:
    using RowDelegate::RowDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        RowDelegate::paint(painter, option, index);
        const double share = index.data(Qt::UserRole).toDouble();
        QColor colour = models::colorsFor(option.palette).product;
        colour.setAlphaF(0.35F);
        QRectF bar = QRectF(option.rect).adjusted(2, 4, -2, -4);
        bar.setWidth(bar.width() * share);
        painter->fillRect(bar, colour);
    }
};

} // namespace lathe::views
