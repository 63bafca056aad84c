// SPDX-License-Identifier: Apache-2.0
//
// The extents of unrolled and vectorized loops that are no constants, and how far out they are known. "Partition loops" asks for
// those of every statement around them, from the outside in. Each statement is looked at once and remembered, so all answers
// together cost what one walk over the function does.
#pragma once

#include "tir/ir.h"

#include <unordered_map>
#include <vector>

namespace lathe::tir {

struct DynamicExtent {
    Expr extent;
    std::vector<Var> vars; // that it mentions
    bool unrolled = false; // a loop that has it is; else all of them are vectorized
};

class DynamicExtents {
public:
    /// Those in `stmt` whose variables are all defined outside of it, each once, in the order of their first loops. Extents that
    /// are read from memory are left out. Good as long as this lives.
    const std::vector<DynamicExtent>& of(const Stmt& stmt);

private:
    struct Known {
        Stmt stmt; // keeps the key alive
        std::vector<DynamicExtent> extents;
    };
    std::unordered_map<const StmtNode*, Known> known_;
};

} // namespace lathe::tir
