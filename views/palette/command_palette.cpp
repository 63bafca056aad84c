// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/palette/command_palette.h"

#include "views/models/text/one_line.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QVBoxLayout>

namespace lathe::views::palette {

namespace {

using models::PaletteModel;

constexpr int margin = 8;

/// The text with the letters that matched in bold, the detail in grey at the right.
class EntryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QString displayText(const QVariant& value, const QLocale& locale) const override {
        return models::oneLine(QStyledItemDelegate::displayText(value, locale));
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {0, option.fontMetrics.height() + margin};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const override {
        QStyleOptionViewItem option = given;
        initStyleOption(&option, index);
        const QString text = option.text;
        option.text.clear();
        const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
        style->drawControl(QStyle::CE_ItemViewItem, &option, painter, option.widget);
        const bool selected = option.state & QStyle::State_Selected;
        const auto role = selected ? QPalette::HighlightedText : QPalette::Text;
        const QString detail = models::oneLine(index.data(PaletteModel::detailRole).toString());
        QRect room = option.rect.adjusted(margin, 0, -margin, 0);
        painter->save();
        QColor faint = option.palette.color(role);
        faint.setAlphaF(0.6F);
        painter->setPen(faint);
        const int least = option.fontMetrics.horizontalAdvance(text) + 3 * margin;
        const QString shown =
            option.fontMetrics.elidedText(detail, Qt::ElideLeft, std::max(room.width() - least, room.width() / 4));
        painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, shown);
        room.setRight(room.right() - option.fontMetrics.horizontalAdvance(shown) - 2 * margin);
        painter->setPen(option.palette.color(role));
        painter->setClipRect(room);
        QTextLayout layout(text, option.font);
        QList<QTextLayout::FormatRange> bold;
        for (const int at : index.data(PaletteModel::positionsRole).value<QList<int>>()) {
            QTextCharFormat format;
            format.setFontWeight(QFont::Bold);
            bold.append({at, 1, format});
        }
        layout.setFormats(bold);
        layout.beginLayout();
        QTextLine line = layout.createLine();
        layout.endLayout();
        if (line.isValid())
            layout.draw(painter, QPointF(room.left(), room.top() + (room.height() - line.height()) / 2));
        painter->restore();
    }
};

} // namespace

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window, Qt::Popup), model_(new PaletteModel(this)), field_(new QLineEdit), list_(new QListView),
      count_(new QLabel) {
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(tr("Command palette"));
    field_->setAccessibleName(tr("Find a command or a place"));
    field_->setClearButtonEnabled(true);
    field_->installEventFilter(this);
    list_->setModel(model_);
    list_->setItemDelegate(new EntryDelegate(list_));
    list_->setUniformItemSizes(true);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setAccessibleName(tr("What was found"));
    count_->setMargin(2);
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->addWidget(field_);
    layout->addWidget(list_, 1);
    layout->addWidget(count_);
    connect(field_, &QLineEdit::textChanged, this, &CommandPalette::narrow);
    connect(list_, &QListView::clicked, this, &CommandPalette::choose);
}

void CommandPalette::open(std::vector<models::PaletteEntry> entries, const QString& hint) {
    model_->setEntries(std::move(entries));
    field_->setPlaceholderText(hint);
    {
        const QSignalBlocker quiet(field_); // all entries are shown already
        field_->clear();
    }
    showFound();
    const QWidget* window = parentWidget();
    const QSize size(std::min(720, window->width() - 2 * margin), std::min(420, window->height() * 2 / 3));
    resize(size);
    move(window->mapToGlobal(QPoint((window->width() - size.width()) / 2, window->height() / 12)));
    show();
    field_->setFocus();
}

void CommandPalette::narrow(const QString& pattern) {
    model_->setPattern(pattern);
    showFound();
}

void CommandPalette::showFound() {
    list_->setCurrentIndex(model_->index(0));
    const int more = model_->matches() - model_->rowCount();
    count_->setText(model_->matches() == 0 ? tr("Nothing is called so.")
                    : more > 0             ? tr("%1 more: go on typing.").arg(more)
                                           : QString());
    count_->setVisible(!count_->text().isEmpty());
}

void CommandPalette::choose() {
    const QModelIndex current = list_->currentIndex();
    if (!current.isValid())
        return;
    const models::PaletteEntry entry = model_->at(current.row());
    close();
    emit chosen(entry);
}

void CommandPalette::hideEvent(QHideEvent* event) {
    parentWidget()->activateWindow(); // not every platform gives the keys back by itself
    QFrame::hideEvent(event);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    switch (const auto* key = static_cast<QKeyEvent*>(event); key->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        QApplication::sendEvent(list_, event);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        choose();
        return true;
    case Qt::Key_Escape:
        close();
        return true;
    default:
        return QFrame::eventFilter(watched, event);
    }
}

} // namespace lathe::views::palette
