// SPDX-License-Identifier: Apache-2.0
//
// The Schedule: primitives that change a PrimFunc without changing what it computes. Each checks its own legality,
// says why if it cannot be applied, and is recorded in a trace that replays, prints and reads back.
#pragma once

#include "base/target.h"
#include "schedule/trace.h"
#include "tir/ir.h"

#include <functional>
#include <memory>

namespace lathe::schedule {

using arith::Expr;

/// Handles that outlive changes of the function: a block by its name, a loop by a number that the schedule gave out. Traces
/// have numbers for both.
struct BlockRef {
    std::string name;
};
struct LoopRef {
    int id = -1;
};

class Schedule {
public:
    /// Of an unscheduled function. Without a chooser, questions get what is preferred.
    explicit Schedule(tir::PrimFuncPtr function, std::shared_ptr<const Chooser> chooser = nullptr);

    const tir::PrimFuncPtr& function() const { return function_; }
    const ScheduleTrace& trace() const { return trace_; }
    /// What was asked so far and how it was answered, in order.
    const std::vector<Decision>& decisions() const { return decisions_; }

    // ---- looking
    std::vector<BlockRef> blocks() const; // in program order
    bool hasBlock(const BlockRef& block) const;
    /// The block's number in traces. Those of the unscheduled function come first, in program order.
    int numberOf(const BlockRef& block) const;
    const tir::Block& get(const BlockRef& block) const;
    std::vector<LoopRef> loops(const BlockRef& block); // around the block, outermost first
    const tir::For& get(LoopRef loop) const;
    /// Blocks that read what `block` writes.
    std::vector<BlockRef> consumers(const BlockRef& block) const;

    // ---- deciding
    /// Asks the chooser; the answer's numbers remember the decision. A question that was asked before
    /// must get the same answer, and stands once in the trace.
    /// Throws AnswerError if the chooser's answer is none.
    std::vector<Number> decide(const Question& question);
    /// Asks for a number about a block: the question "bORDINAL.WHAT", `preferred` joining the candidates.
    Number choose(const BlockRef& block, std::string_view what, std::vector<int64_t> candidates, int64_t preferred,
                  Question::Kind kind = Question::Kind::OneOf);
    /// Asks into what a loop is divided (a Tile of as many parts as `preferred` has) and splits it so.
    std::vector<LoopRef> tile(LoopRef loop, const BlockRef& block, std::string_view what,
                              std::vector<int64_t> preferred, int64_t unit = 1);
    /// Asks where a producer is computed, the question "bORDINAL.place", and puts it there: 0 where it stands, 1 in its
    /// consumers, 2 and on under the loops of these. Gives the answer.
    int64_t place(const BlockRef& block, const std::vector<LoopRef>& loops, int64_t preferred);
    static constexpr int64_t placeStored = 0, placeInline = 1, placeFirstLoop = 2;

    // ---- loops. Each throws ScheduleError if it is illegal, and then has changed nothing.
    /// Outer loops first; one factor may be -1: what remains. A predicate guards the tail unless the extent is proved
    /// divisible.
    std::vector<LoopRef> split(LoopRef loop, const std::vector<Number>& factors);
    LoopRef fuse(const std::vector<LoopRef>& loops);
    /// The loops, which nest in one chain, take the given order.
    void reorder(const std::vector<LoopRef>& loops);
    void parallel(LoopRef loop);
    void vectorize(LoopRef loop);
    void unroll(LoopRef loop);
    /// "grain" of a parallel loop: the least work of a chunk (tir::For::grain).
    void annotate(LoopRef loop, std::string_view key, const Number& value);

    // ---- blocks
    void computeAt(const BlockRef& block, LoopRef loop);        // a producer, under a loop of its consumers
    void reverseComputeAt(const BlockRef& block, LoopRef loop); // a consumer, under a loop of its producer
    void computeInline(const BlockRef& block);
    void reverseComputeInline(const BlockRef& block);
    BlockRef cacheRead(const BlockRef& block, int readIndex, tir::Scope scope);
    BlockRef cacheWrite(const BlockRef& block, int writeIndex, tir::Scope scope);
    /// The memory that each iteration of `loop` adds to becomes a copy: loaded before, stored after. The block has its
    /// initialisation apart. The order of the sum stays, so the reduction may go on in a later iteration: blocks of it.
    struct Inplace {
        BlockRef load, store;
    };
    Inplace cacheInplace(const BlockRef& block, LoopRef loop, tir::Scope scope);
    /// In each iteration of `loop`, asks for the memory so many bytes behind what it reads of a parameter.
    BlockRef prefetch(const BlockRef& block, int readIndex, LoopRef loop, const Number& bytes);
    /// What it reads of a parameter in the next iteration of `ahead`, one stretch of memory, is asked for in this one: each
    /// iteration of `loop`, which lies in it, asks for its share of the lines.
    BlockRef prefetchNext(const BlockRef& block, int readIndex, LoopRef ahead, LoopRef loop);
    /// The initialisation of a reduction as a block of its own, before `loop`.
    BlockRef decomposeReduction(const BlockRef& block, LoopRef loop);
    /// Partial results along a reduction loop; gives the block that makes them. The block itself combines them.
    BlockRef rfactor(LoopRef loop, int factorAxis);
    void setScope(const BlockRef& block, int writeIndex, tir::Scope scope);
    /// Memory of the buffer that `block` writes: from one element along `axis` to the next it is a multiple of `factor` and
    /// `offset` elements, no less than without; what is between is not used.
    void storageAlign(const BlockRef& block, int writeIndex, int axis, const Number& factor, const Number& offset);
    /// The buffer that `block` writes gets shape and index map: stored index i = map[i] over the logical indices
    /// `vars`.
    void transformLayout(const BlockRef& block, int writeIndex, const std::vector<arith::Var>& vars,
                         const std::vector<Expr>& map);

    /// Applies the steps of a trace that began at a function alike, its decisions as they were answered there. Fails at the
    /// first step that cannot be applied, saying which and why.
    Result<void> replay(const ScheduleTrace& trace);

private:
    friend class Editor;
    friend class Replayer;
    std::vector<Number> record(Decision decision);

    tir::PrimFuncPtr function_;
    std::shared_ptr<const Chooser> chooser_;
    std::vector<Decision> decisions_;
    ScheduleTrace trace_;
    std::vector<std::string> blockNames_; // by number; of blocks with one name the last one lives
    size_t unscheduledBlocks_ = 0;        // so many of them stood in the unscheduled function
    std::map<int, arith::Var> loopVars_;  // loop id -> its variable
    int nextLoop_ = 0;
};

class ScheduleError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Runs fn(schedule), turning a ScheduleError into a Diagnostic.
Result<void> apply(Schedule& schedule, const std::function<void(Schedule&)>& fn);

} // namespace lathe::schedule
