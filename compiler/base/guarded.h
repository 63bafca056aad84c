// SPDX-License-Identifier: Apache-2.0
//
// The one place of the compiler where exceptions end. Whatever a piece of work throws becomes a Diagnostic: a wish to cancel,
// memory that ran out, what the operating system refused, and everything else, which is a bug of Lathe. compile() runs within
// it; the command line and the window put it around what else they do, and have no nets of their own. Programs that ship
// without the compiler (selfcheck/) have one, in main; so has a space of schedules, where a candidate's fault must not end a
// study (tune/spaces.cpp).
#pragma once

#include "base/result.h"

namespace lathe {

/// Thrown through the pipeline when the user cancels.
struct Cancelled {};

/// The exception being handled, as a Diagnostic.
Diagnostic diagnosticOfException();

/// What `work` returns, a Result; or, where it throws, the exception as a Diagnostic.
template <class Work>
auto guarded(Work work) -> decltype(work()) {
    try {
        return work();
    } catch (...) {
        return Failure(diagnosticOfException());
    }
}

} // namespace lathe
