// SPDX-License-Identifier: Apache-2.0
//
// Hash of a function with the contents of its constants; structuralHash (relay/text.h) leaves those out.
#pragma once

#include "relay/ir.h"

namespace lathe::relay {

/// Structure and constants; Vars, Spans and names are left out. Keys recipes and folded calls.
Hash128 contentHash(const Function& function);

} // namespace lathe::relay
