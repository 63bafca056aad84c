// SPDX-License-Identifier: Apache-2.0
//
// Diagnostics for other programs.
#pragma once

#include "base/diagnostic.h"

namespace lathe {

/// One line: {"severity":"error","kind":"unsupported","file":…,"node":…,"operator":…,"line":0,"what":…,"hint":…}.
/// Bytes that are no UTF-8 are replaced.
std::string toJson(const Diagnostic& diagnostic);

} // namespace lathe
