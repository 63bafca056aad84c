// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one way in which other threads tell an object of the window something: they post letters, which the event loop reads one
// after the other, on the thread of the box. Queued signals would do as well; but a letter is handed over under a mutex of
// our own, which ThreadSanitizer sees, while it knows nothing of those of a Qt that was not built with it.
#pragma once

#include <QObject>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace lathe::views {

/// A member of the object whose letters it reads: once that is gone, nothing is read.
class Mailbox final : public QObject {
    struct State;

public:
    using Letter = std::function<void()>;

    /// What other threads hold; it may outlive the box.
    class Address {
    public:
        /// From any thread. The letter is read after those that were posted before; never, if the box is gone.
        void post(Letter letter) const;

    private:
        friend Mailbox;
        explicit Address(std::shared_ptr<State> state) : state_(std::move(state)) {}
        std::shared_ptr<State> state_;
    };

    Mailbox();
    ~Mailbox() override;
    Address address() const { return Address(state_); }
    /// Whether all that was posted is read, or being read.
    bool isEmpty() const;

protected:
    bool event(QEvent* event) override;

private:
    struct State {
        std::mutex mutex;
        std::deque<Letter> letters;
        Mailbox* box = nullptr;
    };
    std::shared_ptr<State> state_;
};

} // namespace lathe::views
