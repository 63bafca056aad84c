// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows of trees and lists with room around their text: as high in one page as in another.
#pragma once

#include <QStyledItemDelegate>

namespace lathe::views {

constexpr int rowHeight = 26;

class RowDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return QStyledItemDelegate::sizeHint(option, index).expandedTo(QSize(0, rowHeight));
    }
};

} // namespace lathe::views
