// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/find/find_bar.h"

#include "views/find/rows_target.h"
#include "views/find/text_target.h"
#include "views/models/text/counted.h"
#include "views/text/comparison_view.h"

#include <QAbstractItemView>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace lathe::views::find {

namespace {

bool isEscape(QEvent* event, QEvent::Type type) {
    return event->type() == type && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
}

/// Null: it is nothing that is searched.
std::unique_ptr<Target> targetOf(QWidget* widget) {
    if (auto* view = qobject_cast<text::CodeView*>(widget)) {
        for (QWidget* around = view; around; around = around->parentWidget())
            if (const auto* both = qobject_cast<text::ComparisonView*>(around))
                return std::make_unique<TextTarget>(std::vector{both->before(), both->after()});
        return std::make_unique<TextTarget>(std::vector{view});
    }
    if (auto* view = qobject_cast<QAbstractItemView*>(widget);
        view && view->model() && !qobject_cast<QHeaderView*>(widget))
        return std::make_unique<RowsTarget>(view);
    return nullptr;
}

/// Of what is seen in a widget, itself included. Null: nothing there is searched.
std::unique_ptr<Target> largestIn(QWidget* widget) {
    QList<QWidget*> all{widget};
    all += widget->findChildren<QWidget*>();
    std::ranges::stable_sort(all, std::greater(), [](const QWidget* each) { return each->width() * each->height(); });
    for (QWidget* each : std::as_const(all))
        if (each->isVisible())
            if (auto target = targetOf(each))
                return target;
    return nullptr;
}

/// Beginning at a widget, of what is around it, as far as the page or the dock that it is part of.
std::unique_ptr<Target> nearestTo(QWidget* widget, const QWidget* page) {
    for (QWidget* at = widget; at && !at->isWindow(); at = at->parentWidget()) {
        if (auto target = largestIn(at))
            return target;
        if (at == page || qobject_cast<QDockWidget*>(at))
            break;
    }
    return nullptr;
}

} // namespace

FindBar::FindBar()
    : where_(new QLabel), text_(new QLineEdit), letters_(new QToolButton), previous_(new QToolButton),
      next_(new QToolButton), close_(new QToolButton), count_(new QLabel) {
    hide();
    where_->setTextFormat(Qt::PlainText);
    where_->setBuddy(text_);
    text_->setClearButtonEnabled(true);
    text_->setMaximumWidth(320);
    count_->setObjectName("count");
    count_->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("00,000 of 00,000 places")));
    const auto button = [&](QToolButton* made, const QString& text, const QString& hint, auto act) {
        made->setText(text);
        made->setToolTip(hint);
        made->setAccessibleName(hint);
        made->setAutoRaise(true);
        connect(made, &QToolButton::clicked, this, act);
    };
    letters_->setCheckable(true);
    button(letters_, QStringLiteral("Aa"), tr("Capitals as they are written"), &FindBar::seekAnew);
    button(previous_, QStringLiteral("↑"), tr("Previous place (Shift+Enter)"), [this] { step(false); });
    button(next_, QStringLiteral("↓"), tr("Next place (Enter)"), [this] { step(true); });
    button(close_, QStringLiteral("✕"), tr("Close (Esc)"), &FindBar::end);
    auto layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->addWidget(where_);
    layout->addWidget(text_, 1);
    for (QToolButton* each : {letters_, previous_, next_})
        layout->addWidget(each);
    layout->addWidget(count_);
    layout->addStretch(1);
    layout->addWidget(close_);
    for (QWidget* before = text_; QWidget * each : std::initializer_list<QWidget*>{letters_, previous_, next_, close_})
        setTabOrder(std::exchange(before, each), each);
    connect(text_, &QLineEdit::textChanged, this, &FindBar::seekAnew);
}

bool FindBar::open(QWidget* page) {
    QWidget* focused = window()->focusWidget();
    if (!target_ || !isAncestorOf(focused)) {
        auto target = nearestTo(focused, page);
        if (!target)
            target = nearestTo(page->focusWidget(), page);
        if (!target)
            target = largestIn(page);
        if (!target)
            return false;
        setTarget(std::move(target));
    }
    show();
    text_->setFocus(Qt::ShortcutFocusReason);
    text_->selectAll();
    return true;
}

void FindBar::setTarget(std::unique_ptr<Target> target) {
    end();
    target_ = std::move(target);
    const QString title = tr("Find in %1").arg(target_->name());
    where_->setText(title);
    text_->setAccessibleName(title);
    for (QWidget* each : target_->widgets()) {
        each->installEventFilter(this);
        connect(each, &QObject::destroyed, target_.get(), [this] { leave(); }); // with what it would have to forget
    }
    connect(target_.get(), &Target::changed, this, &FindBar::seekAnew);
    seekAnew();
}

void FindBar::seekAnew() {
    if (!target_)
        return;
    anew_ = true;
    settled_ = false;
    stepping_.reset();
    looking_.start();
}

bool FindBar::lookOn() {
    if (!target_)
        return false;
    if (std::exchange(anew_, false))
        target_->seek(
            {.text = text_->text(), .letters = letters_->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive});
    if (target_->lookOn()) {
        if (constexpr size_t often = 1000; target_->count() % often == 1)
            showCount();
        return true;
    }
    settled_ = true;
    // Not from here: whoever follows what is selected may have this begin anew.
    if (const auto forward = std::exchange(stepping_, {}))
        QMetaObject::invokeMethod(this, [this, forward = *forward] { step(forward); }, Qt::QueuedConnection);
    showCount();
    emit settled();
    return false;
}

void FindBar::step(bool forward) {
    if (!target_ || text_->text().isEmpty())
        return;
    if (!settled_) {
        stepping_ = forward;
        return;
    }
    if (const size_t count = target_->count(); count > 0) { // around at the ends
        const size_t from = target_->from();
        const size_t next = from + (target_->at() >= 0 ? 1 : 0);
        target_->go(forward ? next % count : (from == 0 ? count : from) - 1);
    }
    if (target_ && settled_)
        showCount();
}

void FindBar::showCount() {
    QString text = target_->count() == 0 ? tr("nothing found") : target_->counted();
    if (target_->count() >= mostFound)
        text = tr("the first %1").arg(text);
    if (const int at = settled_ ? target_->at() : -1; at >= 0)
        text = tr("%1 of %2").arg(models::grouped(at + 1), text);
    count_->setText(text_->text().isEmpty() ? QString() : text);
}

void FindBar::end() {
    if (!target_)
        return;
    if (isAncestorOf(window()->focusWidget()))
        target_->home()->setFocus();
    target_->seek({});
    for (QWidget* each : target_->widgets())
        each->removeEventFilter(this);
    leave();
}

void FindBar::leave() {
    if (!target_)
        return;
    target_->disconnect(this);
    target_.release()->deleteLater(); // it may be at work
    hide();
    settled_ = true;
    emit settled();
}

bool FindBar::event(QEvent* event) {
    if (isEscape(event, QEvent::ShortcutOverride))
        event->accept(); // else it would end the work that goes on
    return QWidget::event(event);
}

void FindBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        end();
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        step(!event->modifiers().testFlag(Qt::ShiftModifier));
    else
        QWidget::keyPressEvent(event);
}

bool FindBar::eventFilter(QObject* watched, QEvent* event) {
    if (!target_)
        return false;
    if (event->type() == QEvent::Hide && !event->spontaneous()) {
        if (std::ranges::none_of(target_->widgets(), &QWidget::isVisible))
            end();
    } else if (isEscape(event, QEvent::ShortcutOverride)) {
        event->accept();
        return true;
    } else if (isEscape(event, QEvent::KeyPress)) {
        end();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lathe::views::find
