// SPDX-License-Identifier: Apache-2.0
//
// Tables of keys and values: what stands beside a number.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// For each of x, an integer, the value at its key; `otherwise`, of rank 0, where there is none. keys: int64, ascending,
/// each once; values: as many.
Var lookUp(Builder& b, Var x, Var keys, Var values, Var otherwise);

} // namespace lathe::frontend
