// SPDX-License-Identifier: Apache-2.0
//
// Tables of keys and values: what stands beside a number or a string.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// For each of x, integers or strings, the value at its key; `otherwise`, of rank 0, where there is none. keys: int64,
/// ascending, each once, or strings; values: as many.
Var lookUp(Builder& b, Var x, Var keys, Var values, Var otherwise);

} // namespace lathe::frontend
