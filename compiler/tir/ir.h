// SPDX-License-Identifier: Apache-2.0
//
// The loop IR: all its nodes and what they mean. Values are immutable and shared by pointer.
//
// A PrimFunc is a kernel or the model's entry. Before "lower blocks" its computation stands in Blocks: a Block says
// which iteration variables it has, of which kind, what it reads and writes, and under which predicate it runs; that is
// what schedule primitives reason about. Afterwards there are only loops, stores and lets; after "flatten buffers" every
// access has one index, in elements, and addresses are explicit.
//
// Origins. Each statement carries the ordinal of the binding in the fused function it came from (-1 only in the entry,
// whose calls carry Spans instead). Passes that merge statements keep the consumer's; the verifier refuses none.
#pragma once

#include "arith/expr.h"
#include "base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lathe::tir {

using arith::Expr;
using arith::Var;

enum class Scope : uint8_t {
    Global,    // a parameter, or memory that the memory plan provides
    Workspace, // allocated in the kernel, placed by the memory plan (one for the whole kernel call)
    Local,     // small, private to the thread and the iteration: stack or registers
};

/// Identity is the object. dtype and name are arith::Storage's. Elements are row-major unless strides are given.
struct Buffer : arith::Storage {
    std::vector<Expr> shape;
    std::vector<Expr> strides; // in elements; empty: row-major, compact
    Expr offset;               // in elements; null: 0
    Scope scope = Scope::Global;
    int alignment = 64; // bytes, of the first element; less if a view may be passed
};
using BufferPtr = std::shared_ptr<const Buffer>;

BufferPtr makeBuffer(std::string name, DataType dtype, std::vector<Expr> shape, Scope scope = Scope::Global);
/// The Buffer behind a Load's storage.
const Buffer& bufferOf(const Expr& load);

struct StmtNode;
using Stmt = std::shared_ptr<const StmtNode>;

enum class ForKind : uint8_t { Serial, Parallel, Vectorized, Unrolled };

/// Work below which a parallel region is not worth waking threads for, in units of one vector instruction: about 4 us at a
/// quarter of a nanosecond a unit.
inline constexpr int64_t parallelGrain = 16384;

/// for var in [min, min + extent)
struct For {
    Var var;
    Expr min;
    Expr extent;
    ForKind kind = ForKind::Serial;
    Stmt body;
    int64_t grain = parallelGrain; // of a parallel loop: the least work of a chunk; of others it says nothing
};

enum class IterKind : uint8_t { Spatial, Reduce, Opaque };

struct IterVar {
    Var var;
    Expr extent; // domain [0, extent)
    IterKind kind = IterKind::Spatial;
    Expr binding; // value in terms of the loops around
};

/// A box of a buffer: per dimension a start and an extent, in terms of the block's iteration variables.
struct Region {
    BufferPtr buffer;
    std::vector<std::pair<Expr, Expr>> ranges;
};

/// One computation: for each value of its iteration variables, body. If there are Reduce variables, init runs once
/// before the first of them (all zero). Runs only where the predicate (over the loops around) holds.
struct Block {
    std::string name;
    std::vector<IterVar> iters;
    Expr predicate; // null: always
    std::vector<Region> reads;
    std::vector<Region> writes;
    Stmt init; // null: none
    Stmt body;
};

struct Store {
    BufferPtr buffer;
    std::vector<Expr> indices;
    Expr value;
    Expr mask; // null: all lanes
};

/// var = value within body.
struct Let {
    Var var;
    Expr value;
    Stmt body;
};

struct If {
    Expr condition;
    Stmt thenCase;
    Stmt elseCase; // null: none
};

struct While {
    Expr condition;
    Stmt body;
};

struct Seq {
    std::vector<Stmt> stmts;
};

/// Memory for buffer within body.
struct Allocate {
    BufferPtr buffer;
    Stmt body;
};

enum class CheckKind : uint8_t {
    IndexOutOfRange,
    DivisionByZero,
    ShapeMismatch, // sizes that contradict a symbol, an operator's rule or the declared input
    OutOfMemory,
    InvalidValue, // an operand's value that the operator does not allow
};

/// If condition is false, the function returns status 1 + `ordinal` (numbered by "number checks" over the PrimFunc);
/// message says what held wrong, for people.
struct Check {
    Expr condition;
    CheckKind kind = CheckKind::InvalidValue;
    std::string message;
    int ordinal = -1;
};

/// For its effect: a call through the runtime's table.
struct Evaluate {
    Expr value;
};

/// In the entry: call of another PrimFunc by name. Arguments follow its parameters: Load(buffer, zeros) stands for a
/// buffer's address, scalars for themselves. callId names the call in the model's tables (Spans, profile); -1: of a function
/// that is itself of the entry, which notes what fails in it. A non-zero status ends the entry with it.
struct CallKernel {
    std::string callee;
    std::vector<Expr> args;
    int callId = -1;
};

/// In the entry: gives a name and a place to memory: `buffer` starts at `address` (a handle) until the end of body.
struct BindBuffer {
    BufferPtr buffer;
    Expr address;
    Stmt body;
};

struct StmtNode {
    std::variant<For, Block, Store, Let, If, While, Seq, Allocate, Check, Evaluate, CallKernel, BindBuffer> value;
    int origin = -1;

    StmtNode() = default;
    StmtNode(const StmtNode&) = default;
    /// Frees the statements below one after the other: scopes nest by the thousand, deeper than a stack is.
    ~StmtNode();

    template <class T>
    const T* as() const {
        return std::get_if<T>(&value);
    }
};

template <class T>
Stmt makeStmt(T value, int origin) {
    auto node = std::make_shared<StmtNode>();
    node->value = std::move(value);
    node->origin = origin;
    return node;
}

/// Flattens nested Seqs and drops nulls; one statement stands for itself.
Stmt seq(std::vector<Stmt> stmts, int origin);

/// A parameter is a buffer or a scalar. Order in a kernel: inputs, outputs, then scalars (symbols), then the workspace.
struct Param {
    BufferPtr buffer; // or null
    Var scalar;       // if buffer is null
};

struct PrimFunc {
    std::string name;
    std::vector<Param> params;
    int outputs = 1; // how many of the buffer parameters, the last ones, are written
    Stmt body;
    bool isEntry = false; // or a function that the entry calls, and that calls kernels: then its parameters are scalars
};
using PrimFuncPtr = std::shared_ptr<const PrimFunc>;

} // namespace lathe::tir
