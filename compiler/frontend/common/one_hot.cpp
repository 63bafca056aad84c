// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/one_hot.h"

namespace lathe::frontend {

Var oneHot(Builder& b, Var indices, const Expr& depth, int64_t axis) {
    if (b.failed())
        return {};
    Dims row(static_cast<size_t>(b.rank(indices)) + 1, Expr(1));
    row[static_cast<size_t>(axis)] = depth;
    return equal(b, unsqueeze(b, indices, {axis}), iota(b, row, axis, types::Int64));
}

} // namespace lathe::frontend
