// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cells of the table of trials. The row of the best stands out. A style lays the text of a cell out several times, and a screen
// has a thousand cells: texts that are plain are laid out once and kept, and the answers among them are few.
#pragma once

#include "views/page/row_delegate.h"

#include <QCache>
#include <QStaticText>

namespace lathe::views::tuning {

class TrialDelegate final : public RowDelegate {
public:
    using RowDelegate::RowDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    const QStaticText& textOf(const QString& text, const QFont& font) const;

    static constexpr int kept = 4096;
    mutable QCache<QString, QStaticText> texts_{kept};
    mutable QFont font_; // of these
};

} // namespace lathe::views::tuning
