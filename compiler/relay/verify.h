// SPDX-License-Identifier: Apache-2.0
//
// The verifier for the parser, which knows the line of each Var.
#pragma once

#include "relay/ir.h"

#include <unordered_map>

namespace lathe::relay {

using VarLines = std::unordered_map<uint32_t, int>;

/// As verify (relay/text.h); with `lines`, the Diagnostic has the line of the Var at fault.
Result<void> verify(const Module& module, const VarLines* lines);

} // namespace lathe::relay
