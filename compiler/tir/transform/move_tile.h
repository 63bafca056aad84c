// SPDX-License-Identifier: Apache-2.0
//
// A tile of a split loop, begun somewhere else. The body of `for x in ceil(n / 12) { for i in min(12, n - 12 x) … }` says
// where it stands by 12 x alone, so with 12 x replaced it computes any twelve elements in a row, and with another extent
// of i fewer of them. That is how a tail of any length is computed by tiles of a few lengths, which may overlap.
#pragma once

#include "tir/ir.h"

#include <optional>

namespace lathe::tir {

/// `body` with `start` for every product of `tile` and a multiple of `rows`. Nothing if `tile` occurs in other ways, if a
/// store does not move with it, or if it matters that elements are computed once: the body reads what it stores, calls,
/// checks or loops without bound. What the body asks of `tile` alone has to hold for all of any `rows` elements, as
/// conditions of a split do that were taken out of the loop over them.
std::optional<Stmt> movedTile(const Stmt& body, const Var& tile, int64_t rows, const Expr& start);

} // namespace lathe::tir
