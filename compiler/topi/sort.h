// SPDX-License-Identifier: Apache-2.0
//
// A stable merge sort of positions as loop IR: what TopK, Unique and NonMaxSuppression are built on. O(n log n) for any
// data.
#pragma once

#include "topi/loops.h"

namespace lathe::topi {

/// Two rows of positions that take turns: int64[prefix…, 2, capacity]. After sorting, row `phase` holds the order.
class PositionSort {
public:
    PositionSort(const Loops& loops, BufferPtr positions, Indices prefix);

    /// Position number i of row `phase` (0 before sorting) as an index expression.
    Expr at(const Expr& i) const;
    Stmt put(const Expr& i, const Expr& position) const;
    /// Sorts the first `count` positions. compare(a, b, result) sets result to whether a stands before b.
    Stmt sort(const Expr& count, const std::function<Stmt(Expr, Expr, const Cell&)>& compare) const;
    /// Declares the cells around body, which fills, sorts and reads.
    Stmt with(Stmt body) const;

private:
    Indices index(const Expr& row, const Expr& i) const;

    Loops loops_;
    BufferPtr positions_;
    Indices prefix_;
    Cell phase_{"phase", types::Int64}, width_{"width", types::Int64}, start_{"start", types::Int64},
        left_{"left", types::Int64}, right_{"right", types::Int64}, before_{"before", types::Bool};
};

/// Orders of values in which NaN stands after every number (ascending), or before every number (descending, as NumPy's
/// reversed order has it).
Expr ascending(const Expr& a, const Expr& b);
Expr descending(const Expr& a, const Expr& b);

} // namespace lathe::topi
