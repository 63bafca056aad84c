// SPDX-License-Identifier: Apache-2.0
//
// The memory plan of one frame: buffers with lifetimes get offsets in one piece of memory. Sizes are expressions; a
// buffer reuses the place of a dead one if it provably fits, or lets that place grow. Offsets are known when all places
// are (finish), so until then a buffer's offset is a Var.
#pragma once

#include "arith/analysis.h"

#include <vector>

namespace lathe::lower {

using arith::Expr;

class MemoryPlan {
public:
    /// The offset of a new buffer of `bytes`, live until release(offset). A buffer of zero constant bytes takes no place.
    Expr allocate(const Expr& bytes);
    void release(const Expr& offset);
    /// Defines all offsets; the frame's size in bytes (a multiple of 64).
    Expr finish(arith::VarMap& offsets);
    /// The same in steps: each offset in terms of the ones before it, in order; the last value is the frame's size.
    std::vector<std::pair<arith::Var, Expr>> steps(const arith::Var& size) const;
    bool empty() const { return places_.empty(); }

private:
    struct Place {
        arith::Var offset;
        Expr bytes; // rounded up to 64
        bool free = false;
    };
    std::vector<Place> places_;
    arith::Analyzer known_; // places grow into long maxima, which are compared again and again
};

} // namespace lathe::lower
