// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/text/comparison_view.h"

#include "views/models/text/counted.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::text {

ComparisonView::ComparisonView()
    : ComparisonView(tr("Before"), tr("After"), tr("Before the pass"), tr("After the pass")) {}

ComparisonView::ComparisonView(const QString& before, const QString& after, const QString& beforeName,
                               const QString& afterName)
    : before_(new CodeView(beforeName)), after_(new CodeView(afterName)), count_(new QLabel) {
    auto column = [](const QString& title, CodeView* pane) {
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
    beforeColumn_ = column(before, before_);
    auto panes = new QHBoxLayout;
    panes->setSpacing(1);
    panes->addWidget(beforeColumn_, 1);
    panes->addWidget(column(after, after_), 1);
    auto all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(makeBar());
    all->addLayout(panes, 1);
    follow(before_, after_);
    follow(after_, before_);
    connect(before_, &CodeView::linePicked, this, [this](int row) { pick(true, row); });
    connect(after_, &CodeView::linePicked, this, [this](int row) { pick(false, row); });
}

QWidget* ComparisonView::makeBar() {
    auto bar = new QWidget;
    auto layout = new QHBoxLayout(bar);
    layout->setContentsMargins(8, 4, 8, 4);
    const auto button = [&](const QString& text, const QString& hint, auto act) {
        auto made = new QToolButton;
        made->setText(text);
        made->setToolTip(hint);
        made->setAccessibleName(hint);
        connect(made, &QToolButton::clicked, this, act);
        layout->addWidget(made);
    };
    count_->setWordWrap(true); // a message takes lines, not the width of the window
    layout->addWidget(count_, 1);
    button(QStringLiteral("▲"), tr("Previous difference"), [this] { step(false); });
    button(QStringLiteral("▼"), tr("Next difference"), [this] { step(true); });
    return bar;
}

void ComparisonView::follow(CodeView* one, CodeView* other) {
    const auto together = [this](QScrollBar* bar, QScrollBar* with) {
        connect(bar, &QScrollBar::valueChanged, with, [this, with](int value) {
            if (following_)
                return; // a side that cannot go as far does not hold the other back
            const QScopedValueRollback guard(following_, true);
            with->setValue(value);
        });
    };
    together(one->verticalScrollBar(), other->verticalScrollBar());
    together(one->horizontalScrollBar(), other->horizontalScrollBar());
    connect(one, &CodeView::foldsChanged, other, [one, other] { other->foldAs(*one); });
}

void ComparisonView::showMessage(const QString& text) {
    setComparison({});
    message_ = text;
    showCount();
}

void ComparisonView::setComparison(models::Comparison comparison) {
    comparison_ = std::move(comparison);
    message_.clear();
    differences_ = comparison_.differences;
    difference_ = -1;
    {
        const QScopedValueRollback guard(following_, true);
        paintLater();
        before_->setTintedText(comparison_.left);
        after_->setTintedText(comparison_.right);
    }
    marked_.clear();
    // The first pass has nothing before it: its text gets all the room, and is no difference.
    const bool alone = comparison_.before.isEmpty();
    beforeColumn_->setVisible(!alone);
    if (alone)
        differences_.clear();
    goTo(0);
    step(true);
}

/// A text's first painting takes longer than all else: each side's has a turn of the event loop of its own.
void ComparisonView::paintLater() {
    before_->setUpdatesEnabled(false);
    after_->setUpdatesEnabled(false);
    QTimer::singleShot(0, before_, [this] {
        before_->setUpdatesEnabled(true);
        QTimer::singleShot(0, after_, [this] { after_->setUpdatesEnabled(true); });
    });
}

void ComparisonView::showCount() {
    const auto count = qint64(differences_.size());
    count_->setText(!message_.isEmpty()            ? message_
                    : comparison_.rows.empty()     ? QString()
                    : comparison_.before.isEmpty() ? models::counted(comparison_.after.size(), "line", "lines")
                    : count == 0                   ? tr("No difference")
                    : difference_ < 0              ? models::counted(count, "difference", "differences")
                                                   : tr("%1 of %2")
                                            .arg(models::grouped(difference_ + 1),
                                                 models::counted(count, "difference", "differences")));
}

void ComparisonView::goTo(int row) {
    const QScopedValueRollback guard(following_, true);
    for (CodeView* each : {before_, after_})
        each->showLine(row);
}

void ComparisonView::step(bool forward) {
    const int next = difference_ + (forward ? 1 : -1);
    if (next >= 0 && next < int(differences_.size())) {
        difference_ = next;
        goTo(differences_[size_t(next)]);
    }
    showCount();
}

void ComparisonView::markNodes(const std::vector<int>& nodes) {
    if (nodes == marked_)
        return;
    marked_ = nodes;
    std::vector<int> rows[2];
    for (size_t i = 0; !marked_.empty() && i < comparison_.rows.size(); ++i)
        for (const bool before : {true, false}) {
            const int line = before ? comparison_.rows[i].before : comparison_.rows[i].after;
            const auto& of = before ? comparison_.nodesBefore : comparison_.nodesAfter;
            if (line >= 0 && size_t(line) < of.size() && std::ranges::any_of(of[size_t(line)], [&](int node) {
                    return std::ranges::binary_search(marked_, node);
                }))
                rows[before ? 0 : 1].push_back(int(i));
        }
    const int first = rows[1].empty() ? -1 : rows[1].front();
    before_->markLines(std::move(rows[0]));
    after_->markLines(std::move(rows[1]));
    if (first >= 0 && !following_) // not what the user has just clicked on
        goTo(first);
}

void ComparisonView::pick(bool before, int row) {
    if (row < 0 || size_t(row) >= comparison_.rows.size())
        return;
    // Stepping goes on from here.
    difference_ = int(std::ranges::upper_bound(differences_, row) - differences_.begin()) - 1;
    showCount();
    const int line = before ? comparison_.rows[size_t(row)].before : comparison_.rows[size_t(row)].after;
    const auto& nodes = before ? comparison_.nodesBefore : comparison_.nodesAfter;
    if (line < 0 || size_t(line) >= nodes.size() || nodes[size_t(line)].empty())
        return;
    const QScopedValueRollback guard(following_, true);
    emit nodesPicked(nodes[size_t(line)]);
}

} // namespace lathe::views::text
