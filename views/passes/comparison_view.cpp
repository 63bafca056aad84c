// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/passes/comparison_view.h"

#include "views/models/colors.h"
#include "views/models/counted.h"
#include "views/passes/ir_highlighter.h"

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QShortcut>
#include <QTextBlock>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::passes {

namespace {

using Kind = driver::DiffRow::Kind;

QPlainTextEdit* makePane(const QString& name) {
    auto pane = new QPlainTextEdit;
    pane->setReadOnly(true);
    pane->setLineWrapMode(QPlainTextEdit::NoWrap);
    pane->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(9.5);
    pane->setFont(font);
    pane->setAccessibleName(name);
    pane->setTabChangesFocus(true);
    pane->setUndoRedoEnabled(false);
    pane->setFrameShape(QFrame::NoFrame);
    pane->document()->setDocumentMargin(6);
    new IrHighlighter(pane->document());
    return pane;
}

} // namespace

ComparisonView::ComparisonView(QWidget* parent)
    : QWidget(parent), before_(makePane(tr("Before the pass"))), after_(makePane(tr("After the pass"))),
      count_(new QLabel) {
    auto column = [](const QString& title, QPlainTextEdit* pane) {
        auto result = new QWidget;
        auto layout = new QVBoxLayout(result);
        auto label = new QLabel(title);
        label->setContentsMargins(8, 4, 8, 4);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(0);
        layout->addWidget(label);
        layout->addWidget(pane, 1);
        return result;
    };
    beforeColumn_ = column(tr("Before"), before_);
    auto panes = new QHBoxLayout;
    panes->setSpacing(1);
    panes->addWidget(beforeColumn_, 1);
    panes->addWidget(column(tr("After"), after_), 1);
    auto button = [&](const QString& text, const QString& hint, bool forward) {
        auto result = new QToolButton;
        result->setText(text);
        result->setToolTip(hint);
        result->setAccessibleName(hint);
        connect(result, &QToolButton::clicked, this, [this, forward] { step(forward); });
        return result;
    };
    auto bar = new QHBoxLayout;
    bar->setContentsMargins(8, 4, 8, 4);
    bar->addWidget(count_, 1);
    bar->addWidget(button(QStringLiteral("▲"), tr("Previous difference (Shift+F7)"), false));
    bar->addWidget(button(QStringLiteral("▼"), tr("Next difference (F7)"), true));
    auto all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(bar);
    all->addLayout(panes, 1);

    auto together = [](QScrollBar* one, QScrollBar* other) {
        connect(one, &QScrollBar::valueChanged, other, &QScrollBar::setValue);
        connect(other, &QScrollBar::valueChanged, one, &QScrollBar::setValue);
    };
    together(before_->verticalScrollBar(), after_->verticalScrollBar());
    together(before_->horizontalScrollBar(), after_->horizontalScrollBar());
    connect(after_->verticalScrollBar(), &QScrollBar::valueChanged, this, [this] {
        if (!busy_) // a text that is being set scrolls too
            paintSeen();
    });
    connect(before_, &QPlainTextEdit::cursorPositionChanged, this, [this] { pick(true); });
    connect(after_, &QPlainTextEdit::cursorPositionChanged, this, [this] { pick(false); });
    connect(new QShortcut(Qt::Key_F7, this), &QShortcut::activated, this, [this] { step(true); });
    connect(new QShortcut(Qt::SHIFT | Qt::Key_F7, this), &QShortcut::activated, this, [this] { step(false); });
}

QString ComparisonView::beforeText() const {
    return before_->toPlainText();
}
QString ComparisonView::afterText() const {
    return after_->toPlainText();
}

void ComparisonView::showMessage(const QString& text) {
    setComparison({});
    count_->setText(text);
}

void ComparisonView::setComparison(models::Comparison comparison) {
    busy_ = true;
    comparison_ = std::move(comparison);
    // A line that the other side lacks is an empty one there, so that rows stand side by side.
    QStringList left, right;
    for (const driver::DiffRow& row : comparison_.rows) {
        left << (row.before >= 0 ? comparison_.before[row.before] : QString());
        right << (row.after >= 0 ? comparison_.after[row.after] : QString());
    }
    before_->setPlainText(left.join('\n'));
    after_->setPlainText(right.join('\n'));
    // The first pass has nothing before it: its text gets all the room.
    const bool alone = comparison_.before.isEmpty();
    beforeColumn_->setVisible(!alone);
    const int count = comparison_.differences();
    count_->setText(comparison_.rows.empty() ? QString()
                    : alone                  ? models::counted(comparison_.after.size(), "line", "lines")
                    : count                  ? models::counted(count, "difference", "differences")
                                             : tr("No difference"));
    paintSeen();
    busy_ = false;
    if (count)
        step(true);
}

void ComparisonView::paintSeen() {
    const int first = after_->verticalScrollBar()->value();
    const int count = after_->viewport()->height() / std::max(1, after_->fontMetrics().lineSpacing()) + 2;
    paintLines(before_, true, first, count);
    paintLines(after_, false, first, count);
}

void ComparisonView::paintLines(QPlainTextEdit* pane, bool before, int first, int count) {
    pane->document()->findChild<IrHighlighter*>()->colour(first, count);
    const models::Colors colors = models::colorsFor(palette());
    QColor mark = colors.selection;
    mark.setAlphaF(0.28F);
    QList<QTextEdit::ExtraSelection> selections;
    QTextBlock block = pane->document()->findBlockByNumber(first);
    const auto& nodes = before ? comparison_.nodesBefore : comparison_.nodesAfter;
    const int end = std::min(first + count, int(comparison_.rows.size()));
    for (int i = first; i < end && block.isValid(); ++i, block = block.next()) {
        const driver::DiffRow& row = comparison_.rows[size_t(i)];
        const int line = before ? row.before : row.after;
        QColor background;
        if (row.kind == Kind::Changed)
            background = colors.changed;
        else if (row.kind == Kind::Removed)
            background = before ? colors.removed : colors.grid;
        else if (row.kind == Kind::Added)
            background = before ? colors.grid : colors.added;
        if (line >= 0 && size_t(line) < nodes.size() && !marked_.empty() &&
            std::any_of(nodes[line].begin(), nodes[line].end(),
                        [&](int node) { return std::binary_search(marked_.begin(), marked_.end(), node); }))
            background = mark;
        if (!background.isValid())
            continue;
        QTextEdit::ExtraSelection selection;
        selection.cursor = QTextCursor(block);
        selection.format.setBackground(background);
        selection.format.setProperty(QTextFormat::FullWidthSelection, true);
        selections << selection;
    }
    pane->setExtraSelections(selections);
}

void ComparisonView::markNodes(const std::vector<int>& nodes) {
    if (nodes == marked_)
        return;
    marked_ = nodes;
    paintSeen();
    if (busy_ || marked_.empty())
        return;
    for (size_t i = 0; i < comparison_.rows.size(); ++i) {
        const int line = comparison_.rows[i].after;
        if (line < 0 || size_t(line) >= comparison_.nodesAfter.size())
            continue;
        for (int node : comparison_.nodesAfter[line])
            if (std::binary_search(marked_.begin(), marked_.end(), node)) {
                after_->verticalScrollBar()->setValue(std::max(0, int(i) - 5));
                return;
            }
    }
}

void ComparisonView::step(bool forward) {
    const auto& rows = comparison_.rows;
    const int count = int(rows.size()), top = after_->verticalScrollBar()->value();
    auto starts = [&](int i) { return rows[i].kind != Kind::Same && (i == 0 || rows[i - 1].kind == Kind::Same); };
    const int from = std::min(top + 4, count - 1); // the place that a step scrolls a difference to
    for (int i = from + (forward ? (busy_ ? 0 : 1) : -1); i >= 0 && i < count; i += forward ? 1 : -1)
        if (starts(i)) {
            after_->verticalScrollBar()->setValue(std::max(0, i - 4));
            return;
        }
}

void ComparisonView::pick(bool before) {
    if (busy_)
        return;
    const QPlainTextEdit* pane = before ? before_ : after_;
    const int row = pane->textCursor().blockNumber();
    if (size_t(row) >= comparison_.rows.size())
        return;
    const int line = before ? comparison_.rows[row].before : comparison_.rows[row].after;
    const auto& nodes = before ? comparison_.nodesBefore : comparison_.nodesAfter;
    if (line < 0 || size_t(line) >= nodes.size() || nodes[line].empty())
        return;
    busy_ = true;
    emit nodesPicked(nodes[line]);
    busy_ = false;
}

void ComparisonView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        for (QPlainTextEdit* pane : {before_, after_})
            pane->document()->findChild<IrHighlighter*>()->forget();
        paintSeen();
    }
    QWidget::changeEvent(event);
}

void ComparisonView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (!busy_)
        paintSeen();
}

} // namespace lathe::views::passes
