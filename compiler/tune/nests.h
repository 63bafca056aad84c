// SPDX-License-Identifier: Apache-2.0
//
// What a scheduled function does, in numbers: for each store the loops around it, what it computes, and for each buffer that
// it touches how the index moves with each loop and how much memory the inner loops touch. Features and the analytic
// estimate are made from it. Taken where loop kinds still stand and indices are simple: blocks are lowered, nothing is
// vectorized or unrolled yet.
#pragma once

#include "tir/ir.h"
#include "tune/footprint.h"

#include <span>
#include <vector>

namespace lathe::tune {

struct Loop {
    tir::ForKind kind = tir::ForKind::Serial;
    double extent = 1;
    double grain = static_cast<double>(tir::parallelGrain); // of a parallel one
};

/// Of one execution of the store, by kind. What computes an index is not counted: compilers move it out of loops.
struct Operations {
    double fused = 0;   // a product that is added or subtracted
    double added = 0;   // float: +, -, min, max, neg
    double product = 0; // float
    double division = 0;
    double call = 0;    // exp, …
    double logic = 0;   // compares, selects, and, or
    double integer = 0; // any other arithmetic on integers
    double cast = 0;

    /// Floating-point operations as machines' peaks count them.
    double flops() const { return 2 * fused + added + product + division + call; }
    bool operator==(const Operations&) const = default;
};

/// A place in memory that the store reads, writes or both, at an index of its own.
struct Access {
    tir::BufferPtr buffer;
    bool reads = false, writes = false;
    bool regular = true;          // false: the index depends on what is read
    std::vector<int64_t> strides; // by loop, outermost first: elements that the index moves by
    std::vector<Touched> inside;  // inside[d]: by the loops from d on; the last: by one execution

    double bytes() const { return buffer->dtype.bytes(); }
    bool isLocal() const { return buffer->scope == tir::Scope::Local; }
};

struct Nest {
    std::vector<Loop> loops;
    int region = -1;  // which parallel loop it is in, by order; -1: in none
    double share = 1; // of the iterations, which conditions let through
    Operations operations;
    std::vector<Access> accesses; // what is written stands first
    int bits = 32;                // of the widest element

    double extentOf(tir::ForKind kind) const; // product over the loops of that kind
    double iterations() const;                // that are executed
    bool accumulates() const { return !accesses.empty() && accesses.front().reads && accesses.front().writes; }
};

/// All stores of a scheduled function, in order. `sizes` are the values of its scalars.
std::vector<Nest> nestsOf(const tir::PrimFuncPtr& scheduled, std::span<const int64_t> sizes);

} // namespace lathe::tune
