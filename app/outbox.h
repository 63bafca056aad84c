// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where work on a lane leaves its answers for the object that began it. They are told on the object's thread, in order, for
// as long as it is there.
#pragma once

#include "views/page/mailbox.h"

#include <utility>

namespace lathe::app {

/// A value that the lane's work keeps. The mailbox is a member of the owner.
template <class Owner>
class Outbox {
public:
    Outbox(Owner& owner, const views::Mailbox& mailbox) : owner_(&owner), address_(mailbox.address()) {}

    /// From any thread. tell: called as `tell(owner)`; it holds what it says.
    template <class Tell>
    void post(Tell tell) const {
        address_.post([owner = owner_, tell = std::move(tell)] { tell(*owner); });
    }

private:
    Owner* owner_;
    views::Mailbox::Address address_;
};

} // namespace lathe::app
