// SPDX-License-Identifier: Apache-2.0
//
// Required: makes the program first-order and as flat as it can be.
//
// A call of a function of the module that is not recursive is replaced by its body, specialised to the call: parameters become
// arguments, the symbols of declared dims those of the actual ones, symbols that the body defines new ones. A call of a function
// literal that is known at the call is replaced in the same way; a literal that nothing calls any more is dead code. What
// remains are functions that call themselves, which lowering knows, and calls of unknown functions, which it refuses.
//
// First of all passes: every other one sees flat Blocks and need not look through calls.
#pragma once

#include "relay/ir.h"

namespace lathe::relay::transform {

/// Fails if the inlined module would have more bindings than limits::graphNodes.
Result<Module> inlineFunctions(const Module& module);

} // namespace lathe::relay::transform
