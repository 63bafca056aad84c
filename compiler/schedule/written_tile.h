// SPDX-License-Identifier: Apache-2.0
//
// The tile of a buffer that blocks write in one iteration of a loop: a box without holes, so that whoever takes its place
// writes the same elements and no others.
#pragma once

#include "schedule/editor.h"

namespace lathe::schedule {

class WrittenTile {
public:
    /// `writes` are the buffer's under the loop. Fails, as the primitive, if what they write is no box.
    WrittenTile(const Editor& edit, BufferPtr buffer, const Path& loop, const std::vector<Access>& writes);

    bool isWhole(size_t dim) const;
    /// Of a dim that is not whole.
    const SymbolicRange& range(size_t dim) const { return *ranges_[dim]; }
    const arith::Facts& facts() const { return outside_.facts; }
    /// Over the loops around: the tile exists only where they hold.
    const std::vector<Expr>& conditions() const { return conditions_; }

private:
    void requireExact(const Editor& edit, const Access& access, size_t outer);

    BufferPtr buffer_;
    LoopRanges outside_;
    std::vector<std::optional<SymbolicRange>> ranges_;
    std::vector<Expr> conditions_;
};

} // namespace lathe::schedule
