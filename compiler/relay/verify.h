// SPDX-License-Identifier: Apache-2.0
//
// The executable rules of the graph IR. They run in tests, on text that is read and, after each pass, under --verify.
#pragma once

#include "relay/ir.h"

#include <unordered_map>

namespace lathe::relay {

using VarLines = std::unordered_map<uint32_t, int>;

/// Vars bound once and before use, types as the rules give them, layouts that store each dim once, Spans not empty,
/// symbols defined where used, captures listed. Fails with the first broken rule; `lines`, which the parser knows, gives
/// the Diagnostic the line of the Var at fault.
Result<void> verify(const Module& module, const VarLines* lines = nullptr);

} // namespace lathe::relay
