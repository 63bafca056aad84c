// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/page/mailbox.h"

#include <QCoreApplication>
#include <QEvent>
#include <utility>

namespace lathe::views {

namespace {

constexpr QEvent::Type letterCame = QEvent::User;

} // namespace

Mailbox::Mailbox() : state_(std::make_shared<State>()) {
    state_->box = this;
}

Mailbox::~Mailbox() {
    std::deque<Letter> unread; // goes without the lock
    const std::lock_guard lock(state_->mutex);
    state_->box = nullptr;
    unread = std::exchange(state_->letters, {});
}

bool Mailbox::isEmpty() const {
    const std::lock_guard lock(state_->mutex);
    return state_->letters.empty();
}

void Mailbox::Address::post(Letter letter) const {
    const std::lock_guard lock(state_->mutex);
    if (!state_->box)
        return;
    state_->letters.push_back(std::move(letter));
    QCoreApplication::postEvent(state_->box, new QEvent(letterCame));
}

bool Mailbox::event(QEvent* event) {
    if (event->type() != letterCame)
        return QObject::event(event);
    Letter letter;
    {
        const std::lock_guard lock(state_->mutex);
        letter = std::move(state_->letters.front());
        state_->letters.pop_front();
    }
    letter(); // it may end the object that this box is part of: nothing of it is touched from here on
    return true;
}

} // namespace lathe::views
