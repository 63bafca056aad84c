// SPDX-License-Identifier: Apache-2.0
//
// Typed scalar (and, after vectorizing, vector) expressions: one kind serves dims of shapes, tensor expressions and
// loop IR. An Expr is an immutable node shared by pointer; a node is one tagged struct, so that rewriting and
// traversal are one function each (mapArgs, visit).
//
// Meaning. Type `index` is a mathematical integer and the only one that the simplifier reorders. Data integers wrap
// (INT_MIN / -1 included) and are only folded. Floats follow IEEE and are never reassociated.
//   Div, Mod      integers: truncate towards zero, sign of the dividend; floats: true quotient, fmod
//   FloorDiv/Mod  integers and index: towards minus infinity, sign of the divisor (Euclid for positive divisors)
//   Shr           arithmetic for signed, logical for unsigned; a shift by >= the width gives 0 (or -1)
//   Min, Max      floats: NaN if either is NaN
//   Cast          float -> int truncates and saturates, NaN gives 0; to int2/int4 it wraps; int -> int wraps;
//                 to bool: whether the value is not 0
//   Select        args {condition, a, b}; both sides may be evaluated, so neither may trap (integer division in a
//                 side that is not taken must be made safe by whoever builds it)
//   Load          reads `storage` at the element indices in args; opaque to analysis. With a mask, args.back() is it
//   Ramp          args {base, stride}; as many lanes as the type has
//   Broadcast     args {value}; as many lanes as the type has
//   Call          an Intrinsic of args
#pragma once

#include "base/data_type.h"
#include "base/hash.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lathe::arith {

enum class ExprKind : uint8_t {
    IntImm,   // intValue (bit pattern for uint64; bool: 0 or 1)
    FloatImm, // floatValue, exact for every float type
    Var,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    FloorDiv,
    FloorMod,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Not, // bool
    BitAnd,
    BitOr,
    BitXor,
    BitNot,
    Shl,
    Shr,
    Select,
    Cast,
    Call,
    Load,
    Ramp,
    Broadcast,
};

enum class Intrinsic : uint8_t {
    None,
    // floats, elementwise
    Exp,
    Log,
    Sqrt,
    Rsqrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Erf,
    Sigmoid,
    Pow,
    Floor,
    Ceil,
    Trunc,
    RoundEven,
    Abs,
    Fma,
    CopySign,
    IsNan,
    IsInf,
    Log1p,
    Expm1,
    // integers: IntPow (wrapping), PopCount; Reinterpret keeps bits and changes type
    IntPow,
    PopCount,
    Reinterpret,
    // float -> narrow float without saturation (overflow gives inf or NaN as the type has it); Cast saturates
    CastNoSaturate,
    // float -> float8_e8m0 rounding modes
    CastE8M0Up,
    CastE8M0Down,
    // counter-based uniform bits (SplitMix64): args seed(u64), counter(u64) -> uint32; topi/random.cpp has the use
    RandomBits,
    // vectors
    ReduceAdd,
    ReduceMax,
    ReduceMin,
    ReduceMul, // horizontal, in a fixed order
    // addresses and effects; only in lowered TIR
    AddressOf, // {Load} -> handle
    PtrOffset, // {handle, index bytes} -> handle
    RtCall,    // {IntImm lathe_rt function ordinal (abi/abi.h), args…}: a call through the runtime's table
    // hints
    Prefetch, // {Load} -> int32 0: the element's cache line will be read soon. Nothing is read; it need not exist
};

struct ExprNode;

/// What a Load reads and te or tir define further: a buffer or a tensor. Identity is the object's address.
struct Storage {
    std::string name;
    DataType dtype;
    virtual ~Storage() = default;
};
using StoragePtr = std::shared_ptr<const Storage>;

class Expr {
public:
    Expr() = default;
    explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}
    /// An index constant: dims and loop bounds read naturally (`shape[0] + 1`).
    Expr(int64_t value);
    Expr(int value) : Expr(static_cast<int64_t>(value)) {}

    const ExprNode* operator->() const { return node_.get(); }
    const ExprNode& operator*() const { return *node_; }
    const ExprNode* get() const { return node_.get(); }
    const std::shared_ptr<const ExprNode>& node() const { return node_; }
    explicit operator bool() const { return node_ != nullptr; }
    /// Same node. For structure use structurallyEqual, for values provablyEqual.
    bool same(const Expr& other) const { return node_ == other.node_; }
    DataType dtype() const;
    ExprKind kind() const;

private:
    std::shared_ptr<const ExprNode> node_;
};

struct ExprNode {
    ExprKind kind = ExprKind::IntImm;
    Intrinsic intrinsic = Intrinsic::None;
    bool masked = false; // Load: args.back() is a mask
    DataType dtype;
    int64_t intValue = 0;
    double floatValue = 0;
    std::string name;                                    // Var
    int64_t lower = std::numeric_limits<int64_t>::min(); // Var: range of its values, checked where it enters
    int64_t upper = std::numeric_limits<int64_t>::max();
    std::vector<Expr> args;
    StoragePtr storage; // Load
    uint32_t depth = 1; // 1 + the deepest argument's
};

/// A variable: its identity is its node. A symbol (a symbolic dim) is an index Var with a range.
class Var : public Expr {
public:
    Var() = default;
    explicit Var(std::shared_ptr<const ExprNode> node) : Expr(std::move(node)) {}
};

Var var(std::string name, DataType dtype = types::Index, int64_t lower = std::numeric_limits<int64_t>::min(),
        int64_t upper = std::numeric_limits<int64_t>::max());
/// A dim: an index Var in [lower, upper].
Var symbol(std::string name, int64_t lower = 0, int64_t upper = (int64_t{1} << 40));

Expr intImm(int64_t value, DataType dtype = types::Index);
Expr floatImm(double value, DataType dtype);
Expr boolImm(bool value);
Expr zero(DataType dtype);
Expr one(DataType dtype);
/// The least / greatest finite or infinite value of a type: -inf for floats that have it, INT_MIN … (identity of
/// max/min).
Expr lowest(DataType dtype);
Expr highest(DataType dtype);

/// Node of `kind` over args, folded when all are constants and the fold is exact (division by a zero constant is
/// not folded). Types of both operands must agree (InternalError otherwise); compare gives bool with the same lanes.
Expr make(ExprKind kind, std::vector<Expr> args, DataType dtype);
Expr binary(ExprKind kind, Expr a, Expr b);

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator-(Expr a);
Expr div(Expr a, Expr b);
Expr mod(Expr a, Expr b);
Expr floorDiv(Expr a, Expr b);
Expr floorMod(Expr a, Expr b);
Expr ceilDiv(Expr a, Expr b); // of index, b > 0
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr eq(Expr a, Expr b);
Expr ne(Expr a, Expr b);
Expr lt(Expr a, Expr b);
Expr le(Expr a, Expr b);
Expr gt(Expr a, Expr b);
Expr ge(Expr a, Expr b);
Expr logicalAnd(Expr a, Expr b);
Expr logicalOr(Expr a, Expr b);
Expr logicalNot(Expr a);
Expr select(Expr condition, Expr a, Expr b);
Expr cast(Expr value, DataType dtype);
Expr call(Intrinsic intrinsic, std::vector<Expr> args, DataType dtype);
Expr load(StoragePtr storage, std::vector<Expr> indices);
Expr loadMasked(StoragePtr storage, std::vector<Expr> indices, Expr mask, DataType dtype);
Expr ramp(Expr base, Expr stride, int lanes);
Expr broadcast(Expr value, int lanes);

bool isConst(const Expr& expr);
/// The value of an integer, index or bool constant; nothing for a uint64 beyond int64.
std::optional<int64_t> asInt(const Expr& expr);
std::optional<double> asFloat(const Expr& expr);
bool isConst(const Expr& expr, int64_t value);

/// The node with other arguments (the same node if none changed). Folds like make.
Expr withArgs(const Expr& expr, std::vector<Expr> args);

/// Bottom-up rewrite with memory of shared nodes: `fn(node with rewritten args)` gives the replacement.
Expr rewrite(const Expr& expr, const std::function<Expr(const Expr&)>& fn);
/// The nodes that a traversal has met. Most expressions have a few: those are looked through, more are hashed.
class NodeSet {
public:
    /// Whether it was not there.
    bool insert(const ExprNode* node) {
        if (many_.empty()) {
            const auto end = few_.begin() + static_cast<std::ptrdiff_t>(count_);
            if (std::find(few_.begin(), end, node) != end)
                return false;
            if (count_ < few_.size()) {
                few_[count_++] = node;
                return true;
            }
            many_.insert(few_.begin(), few_.end());
        }
        return many_.insert(node).second;
    }

private:
    std::array<const ExprNode*, 32> few_;
    size_t count_ = 0; // in few_
    std::unordered_set<const ExprNode*> many_;
};

/// Pre-order over distinct nodes; fn(const Expr&) returns false to not descend. A template: the innermost loop of most passes.
template <typename Fn>
void visit(const Expr& expr, Fn&& fn) {
    if (!expr)
        return;
    if (expr->args.empty()) {
        fn(expr);
        return;
    }
    NodeSet seen;
    std::vector<const Expr*> pending{&expr};
    while (!pending.empty()) {
        const Expr* current = pending.back();
        pending.pop_back();
        if (!seen.insert(current->get()) || !fn(*current))
            continue;
        const std::vector<Expr>& args = (*current)->args;
        for (size_t i = args.size(); i > 0; --i)
            pending.push_back(&args[i - 1]);
    }
}
/// Post-order over distinct nodes: operands first.
void visitUpwards(const Expr& expr, const std::function<void(const Expr&)>& fn);

using VarMap = std::unordered_map<const ExprNode*, Expr>;
Expr substitute(const Expr& expr, const VarMap& map);
/// The Vars that occur, in order of first occurrence.
std::vector<Var> freeVars(const Expr& expr);
/// Whether `var` occurs.
bool mentions(const Expr& expr, const Expr& var);

/// The Vars of several expressions, each once, in order of first occurrence.
class VarCollector {
public:
    void add(const Expr& expr); // or null
    /// From here on this one does not count: something binds it.
    void leaveOut(const Expr& var) { seen_.insert(var.get()); }
    const std::vector<Var>& vars() const { return vars_; }

private:
    std::vector<Var> vars_;
    std::unordered_set<const ExprNode*> seen_;
};

/// The condition's conjuncts but for `true`, in order: `a && (b && c)` gives a, b, c. Of null: none.
std::vector<Expr> conjuncts(const Expr& condition);
Expr conjunction(const std::vector<Expr>& conditions); // null if empty

/// Same structure; Vars must be the same node unless `vars` maps left to right (it is extended while `bindFree`).
bool structurallyEqual(const Expr& a, const Expr& b, VarMap* vars = nullptr, bool bindFree = false);
/// Adds the structure; Vars are numbered by `numbering` in order of occurrence, storages by `storages`.
void hashInto(Hasher& hasher, const Expr& expr, std::unordered_map<const void*, uint64_t>& numbering);

/// One line: "floordiv(n + 3, 4)", "select(a < b, x, y)", "A[i, j]", "exp:float32(x)", "2:int64". Precedence decides
/// brackets; constants of type index and bool stand without a type. Grammar: arith/print.h.
std::string toString(const Expr& expr);
/// Of a size, for a sentence: "?" for what a reader would not take for one, as choices between sizes are.
std::string sizeText(const Expr& size);

} // namespace lathe::arith
