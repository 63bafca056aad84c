// SPDX-License-Identifier: Apache-2.0
//
// One primitive at work: it looks things up, fails with the primitive's name, and at the end puts the new body and the
// step into the schedule at once, so that a primitive that fails changes nothing.
#pragma once

#include "schedule/schedule.h"
#include "schedule/symbolic_range.h"

#include <fmt/format.h>

namespace lathe::schedule {

class Editor {
public:
    Editor(Schedule& schedule, std::string primitive);

    Stmt body; // the function's; primitives assign it

    [[noreturn]] void fail(const std::string& why) const;
    void require(bool condition, const std::string& why) const {
        if (!condition)
            fail(why);
    }

    Path block(const std::string& name) const;
    Path loop(LoopRef ref) const;
    std::string nameOf(LoopRef ref) const; // "loop i0 (#3)"
    /// As it stands in a step.
    static StepNumber recorded(const Number& number) {
        return number.from ? StepNumber(*number.from) : StepNumber(number.value);
    }
    static std::string quoted(const std::string& name) { return "'" + name + "'"; }
    /// A name that no block / buffer has yet.
    std::string freeBlockName(const std::string& wanted) const;
    std::string freeBufferName(const std::string& wanted) const;

    bool isParameter(const tir::Buffer* buffer) const;
    /// Names of the blocks that write / read the buffer.
    std::vector<std::string> writersOf(const tir::Buffer* buffer) const;
    std::vector<std::string> readersOf(const tir::Buffer* buffer) const;
    /// The buffer of a region by its index, or a failure that names the block.
    BufferPtr regionBuffer(const tir::Block& block, const std::vector<tir::Region>& regions, int index) const;

    /// The statement directly inside the buffer's Allocate (for a parameter: inside all outer Allocates) that holds the
    /// block, as a path. There a copy of the whole buffer can be made.
    Path enclosingNest(const Path& block, const tir::Buffer* buffer) const;
    /// Wraps the function's body in memory for the buffer, or, if `beside` is allocated somewhere, puts it there.
    void allocate(const BufferPtr& buffer, const tir::Buffer* beside);
    void removeAllocate(const tir::Buffer* buffer);
    /// What a new nest uses must exist inside of around.back(): other loops' variables do not, nor their private buffers.
    void requireInScope(const Stmt& nest, const Path& around, const std::string& name) const;
    /// After a block came to stand under parallel loops, or a loop became one: nothing may be shared between
    /// iterations.
    void checkParallelLoops() const;

    /// Handles for loops that the primitive made; call after the last possible failure.
    std::vector<LoopRef> give(const std::vector<Var>& loopVars);
    /// The body becomes the function's, and `step` with what it gives and makes a step of the trace.
    void commit(const std::vector<LoopRef>& gives = {}, const std::vector<std::string>& makes = {});

    Schedule& schedule;
    const std::string primitive;
    Step step; // what the primitive took
};

/// A block's loop nest, one serial loop an iteration variable, each over [0, extent), bound to loop + start.
struct NestLoop {
    Expr start; // null: 0
    Expr extent;
};
/// Makes loops and bindings for the block's iterations in their order; guards where a binding may leave its domain.
Stmt makeNest(tir::Block block, const std::vector<NestLoop>& loops, const std::vector<const tir::For*>& around,
              int origin);

/// A constant that the extent never exceeds, if the extent says so itself, as min(6, n - 6·i) does.
std::optional<int64_t> constantLimit(const Expr& extent, const arith::Facts& facts);
/// Per dimension, what the accesses touch in one iteration of the loop, in terms of it and the loops around it; nothing
/// where that depends on data.
std::vector<std::optional<SymbolicRange>> touchedRanges(const tir::Buffer& buffer, const std::vector<Access>& accesses,
                                                        const Path& loopPath);
/// The extent to use for the part, if it is worth using in place of the whole: it is provably smaller, or constant
/// where the whole is not (and then maybe larger than a small whole).
std::optional<Expr> smallerExtent(const std::optional<SymbolicRange>& part, const Expr& whole,
                                  const arith::Facts& facts);

/// Makes buffers that are used under the loop alone, no larger than what one iteration touches, and moves their
/// allocation into the loop. Parameters stay as they are.
Stmt compactBuffers(const Stmt& root, const Var& loopVar, const std::function<bool(const tir::Buffer*)>& keep);
/// Moves Workspace out of parallel loops: each iteration gets a slice of its own. Fails (a reason) if the size is not
/// known outside.
std::optional<std::string> hoistWorkspaces(Stmt& root);

} // namespace lathe::schedule
