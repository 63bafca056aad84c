// SPDX-License-Identifier: Apache-2.0
//
// The Schedule: primitives that change a PrimFunc without changing what it computes. Each checks its own legality,
// says why if it cannot be applied, and is recorded in a trace that replays, prints and reads back.
#pragma once

#include "base/result.h"
#include "base/target.h"
#include "tir/ir.h"

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>

namespace lathe::schedule {

using arith::Expr;

/// Handles are names that are stable under replay: a block by its name, a loop by a number that the schedule gave out.
struct BlockRef {
    std::string name;
};
struct LoopRef {
    int id = -1;
};

/// One applied primitive: its name, the handles and numbers it took, and the handles it gave.
struct Step {
    std::string primitive;
    std::vector<std::string> blocks;
    std::vector<int> loops;
    std::vector<int64_t> numbers;
    std::vector<std::string> texts;
    std::vector<int> results; // loop ids given out
    bool operator==(const Step&) const = default;
};

struct Trace {
    std::vector<Step> steps;
    bool operator==(const Trace&) const = default;
};
std::string print(const Trace& trace);
Result<Trace> parseTrace(std::string_view text);

/// Pinned decisions: name -> value. What choose() asks for.
using Pins = std::map<std::string, int64_t>;

class Schedule {
public:
    explicit Schedule(tir::PrimFuncPtr function, Pins pins = {});

    const tir::PrimFuncPtr& function() const { return function_; }
    const Trace& trace() const { return trace_; }

    // ---- looking
    std::vector<BlockRef> blocks() const; // in program order
    bool hasBlock(const BlockRef& block) const;
    const tir::Block& get(const BlockRef& block) const;
    std::vector<LoopRef> loops(const BlockRef& block); // around the block, outermost first
    const tir::For& get(LoopRef loop) const;
    /// Blocks that write what `block` reads / read what it writes.
    std::vector<BlockRef> consumers(const BlockRef& block) const;

    // ---- deciding
    /// The pinned value of `name` if there is one among candidates, else `preferred`. Recorded.
    int64_t choose(const std::string& name, const std::vector<int64_t>& candidates, int64_t preferred);

    // ---- loops. Each throws ScheduleError (caught by apply()) if illegal.
    /// Outer loops first; one factor may be -1: what remains. A predicate guards the tail unless the extent is proved
    /// divisible.
    std::vector<LoopRef> split(LoopRef loop, const std::vector<int64_t>& factors);
    LoopRef fuse(const std::vector<LoopRef>& loops);
    /// The loops, which nest in one chain, take the given order.
    void reorder(const std::vector<LoopRef>& loops);
    void parallel(LoopRef loop);
    void vectorize(LoopRef loop);
    void unroll(LoopRef loop);

    // ---- blocks
    void computeAt(const BlockRef& block, LoopRef loop);        // a producer, under a loop of its consumers
    void reverseComputeAt(const BlockRef& block, LoopRef loop); // a consumer, under a loop of its producer
    void computeInline(const BlockRef& block);
    void reverseComputeInline(const BlockRef& block);
    BlockRef cacheRead(const BlockRef& block, int readIndex, tir::Scope scope);
    BlockRef cacheWrite(const BlockRef& block, int writeIndex, tir::Scope scope);
    /// The initialisation of a reduction as a block of its own, before `loop`.
    BlockRef decomposeReduction(const BlockRef& block, LoopRef loop);
    /// Partial results along a reduction loop; gives the block that combines into `block` ("NAME_rf" is the partial
    /// one).
    BlockRef rfactor(LoopRef loop, int factorAxis);
    void setScope(const BlockRef& block, int writeIndex, tir::Scope scope);
    /// The buffer that `block` writes gets shape and index map: stored index i = map[i] over the logical indices
    /// `vars`.
    void transformLayout(const BlockRef& block, int writeIndex, const std::vector<arith::Var>& vars,
                         const std::vector<Expr>& map);

    /// Applies another trace's steps. Fails at the first step that cannot be applied, saying which and why.
    Result<void> replay(const Trace& trace);

private:
    friend class Editor;
    tir::PrimFuncPtr function_;
    Pins pins_;
    Trace trace_;
    std::map<int, arith::Var> loopVars_; // loop id -> its variable
    int nextLoop_ = 0;
};

class ScheduleError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Runs fn(schedule), turning a ScheduleError into a Diagnostic.
Result<void> apply(Schedule& schedule, const std::function<void(Schedule&)>& fn);

} // namespace lathe::schedule
