// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the parts of the Engine have in common: how work on its lanes says how far it is, and what came of it.
#pragma once

#include "app/engine.h"

namespace lathe::app {

/// Told as `Engine::progress`; before the stage stands what goes on, if that is said.
driver::Progress progressTo(const Outbox<Engine>& outbox, const QString& what, const Cancelled& cancelled);

/// What work came to is told as `tell(engine)`; in its place `cancelled`, if that was wished before it is heard.
template <class Tell>
void answer(const Outbox<Engine>& outbox, const Cancelled& cancelled, Tell tell) {
    outbox.post([cancelled, tell = std::move(tell)](Engine& engine) {
        if (cancelled())
            emit engine.cancelled();
        else
            tell(engine);
    });
}

/// Why there is no result; empty: there is one.
template <class T>
std::vector<Diagnostic> problemsOf(const Result<T>& made) {
    return made ? std::vector<Diagnostic>() : std::vector<Diagnostic>{made.error()};
}

} // namespace lathe::app
