// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/trial_delegate.h"

#include "views/models/text/colors.h"
#include "views/models/tuning/trial_model.h"

#include <QPainter>

namespace lathe::views::tuning {

void TrialDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    RowDelegate::initStyleOption(option, index);
    if (index.data(models::TrialModel::bestRole).toBool()) {
        option->font.setBold(true);
        option->backgroundBrush = models::colorsFor(option->palette).added;
    }
}

const QStaticText& TrialDelegate::textOf(const QString& text, const QFont& font) const {
    if (font_ != font) {
        texts_.clear();
        font_ = font;
    }
    QStaticText* found = texts_.object(text);
    if (!found) {
        found = new QStaticText(text); // the cache's
        found->setTextFormat(Qt::PlainText);
        found->prepare({}, font);
        texts_.insert(text, found);
    }
    return *found;
}

void TrialDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    constexpr QStyle::State marked = QStyle::State_Selected | QStyle::State_HasFocus | QStyle::State_MouseOver;
    const QStyleOptionViewItem::ViewItemFeatures beside =
        QStyleOptionViewItem::HasDecoration | QStyleOptionViewItem::HasCheckIndicator | QStyleOptionViewItem::WrapText;
    if (cell.state & marked || cell.features & beside || cell.backgroundBrush.style() != Qt::NoBrush ||
        cell.direction == Qt::RightToLeft)
        return RowDelegate::paint(painter, option, index);
    if (cell.text.isEmpty())
        return;
    const int margin = cell.widget->style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, cell.widget) + 1;
    const QRectF room = QRectF(cell.rect).adjusted(margin, 0, -margin, 0);
    const QStaticText& text = textOf(cell.text, cell.font);
    const QSizeF size = text.size();
    if (size.width() > room.width())
        return RowDelegate::paint(painter, option, index); // with dots
    const bool isActive = cell.state & QStyle::State_Active;
    painter->setPen(cell.palette.color(!(cell.state & QStyle::State_Enabled) ? QPalette::Disabled
                                       : isActive                            ? QPalette::Normal
                                                                             : QPalette::Inactive,
                                       QPalette::Text));
    painter->setFont(cell.font);
    const bool isRight = cell.displayAlignment & Qt::AlignRight;
    painter->drawStaticText(QPointF(isRight ? room.right() - size.width() : room.left(),
                                    cell.rect.top() + cell.rect.height() / 2 - int(size.height()) / 2),
                            text);
}

} // namespace lathe::views::tuning
