// SPDX-License-Identifier: Apache-2.0
//
// What attention needs where several heads of queries share one of keys and values (Ainslie et al., 2023).
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// x, keys or values [.., heads, S, E], each head as often as `query`, [.., heads', L, E], has more of them; a fault if heads'
/// is no multiple.
Var repeatedHeads(Builder& b, Var x, Var query);

} // namespace lathe::frontend
