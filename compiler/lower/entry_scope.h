// SPDX-License-Identifier: Apache-2.0
//
// One Block of the entry while it is built: a list of statements, names (each holds from there to the end) and frames
// (memory that is pushed where all its sizes are known). It becomes one nested statement when it is finished.
#pragma once

#include "lower/memory_plan.h"
#include "lower/placed_buffer.h"
#include "tir/ir.h"

#include <map>
#include <memory>
#include <set>

namespace lathe::lower {

class EntryScope {
public:
    /// kept: the scope's memory outlives it (its results are handed on by address). calls: how many kernel calls the entry
    /// has so far, the clock of its buffers' lives.
    EntryScope(bool kept, const int& calls) : kept_(kept), calls_(calls) {}

    void add(tir::Stmt stmt);
    /// value under a name for the rest of the scope.
    arith::Var let(const std::string& name, Expr value);
    void define(const arith::Var& var, Expr value);
    /// A small mutable place on the stack for the rest of the scope.
    tir::BufferPtr local(const std::string& name, DataType dtype);
    /// buffer stands for memory at address for the rest of the scope.
    void bind(tir::BufferPtr buffer, Expr address);

    /// Address of `bytes` in the current segment's frame.
    Expr allocate(const Expr& bytes, BufferUse use);
    void release(const Expr& address);
    /// From here on sizes may use symbols that were just defined.
    void newSegment() { segment_ = -1; }

    struct Finished {
        tir::Stmt stmt;
        Expr peak; // of the scope's memory in bytes; null: not known
        /// Nested scopes' included; offsets from where the scope's memory begins. lastCall -1: lives on, as the scope's memory.
        std::vector<PlacedBuffer> buffers;
    };
    /// Peak memory of frames inside a nested scope, to add to this one's, and its buffers; null: not known. kept: as of that
    /// scope.
    void nested(const Expr& peak, std::vector<PlacedBuffer> buffers, bool kept);
    Finished finish();

private:
    enum class ItemKind { Stmt, Let, Local, Bind };
    struct Item {
        ItemKind kind;
        tir::Stmt stmt;
        arith::Var var;
        Expr value;
        tir::BufferPtr buffer;
        std::vector<std::pair<arith::Var, Expr>> known; // bound behind stmt
    };
    struct Segment {
        MemoryPlan plan;
        arith::Var base;  // handle
        arith::Var bytes; // the frame's size
        size_t below = 0; // layers
        size_t check;     // item: that the size is one, then sizes and offsets; made when they are known
    };
    /// A buffer above the lowest `below` layers. Its offset is from there.
    struct Buffer {
        size_t below;
        PlacedBuffer record;
    };
    struct Live {
        int segment;
        Expr offset;
        size_t buffer;
    };
    void place(Buffer& buffer, const std::vector<Expr>& bases, const arith::VarMap& offsets) const;

    bool kept_;
    const int& calls_;
    std::vector<Item> items_;
    std::vector<std::unique_ptr<Segment>> segments_;
    std::map<const arith::ExprNode*, Live> live_; // by address
    std::vector<Buffer> buffers_;
    /// What lies on top of one another on the arena: the frames' sizes (Vars), and the peaks of nested scopes that are kept.
    std::vector<Expr> layers_;
    int segment_ = -1;
    Expr nestedPeak_ = 0, keptPeak_ = 0; // the largest; the sum of those that are kept
    bool nestedKept_ = false;
};

/// Of a local place.
Expr load(const tir::BufferPtr& place);
void store(const tir::BufferPtr& place, Expr value, EntryScope& scope);

/// A call through the runtime's table.
Expr rtCall(int function, std::vector<Expr> args, DataType dtype);
/// Whether the runtime gave the memory that it was asked for.
Expr isGiven(const Expr& address);
tir::Stmt evaluate(Expr value);

} // namespace lathe::lower
