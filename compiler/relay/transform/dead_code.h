// SPDX-License-Identifier: Apache-2.0
//
// Optional: removes bindings that nothing uses, and functions that nothing calls.
//
// A binding is used if a result depends on its value, or on a symbol that it defines: the length of a NonZero, an element
// that BindSymbols names. So the whole shape arithmetic of a model, whose values the Builder knows as expressions, goes
// away, and what it checked stays only where it guards a value. A call that may fail may be removed.
//
// Runs after what makes users go away, before folding, which would otherwise work on dead bindings.
#pragma once

#include "relay/ir.h"

namespace lathe::relay::transform {

Module deadCode(const Module& module);
/// For a pass that rewrote `before` to `after`: without what the rewriting left unused; `before` itself if it changed
/// nothing.
Module sweep(const Module& before, const Module& after);

} // namespace lathe::relay::transform
