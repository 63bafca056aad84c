// SPDX-License-Identifier: Apache-2.0
//
// Building kernels that are not tensor expressions: statements of one origin, parameters from a call's types, and
// mutable scalars. Such a kernel has plain loops and no Blocks; no schedule touches it.
#pragma once

#include "topi/expressions.h"

namespace lathe::topi {

using tir::BufferPtr;
using tir::ForKind;
using tir::Stmt;

/// A mutable scalar: one element of a Local buffer.
class Cell {
public:
    Cell(const std::string& name, DataType dtype) : buffer_(tir::makeBuffer(name, dtype, {1}, tir::Scope::Local)) {}
    Expr operator()() const { return arith::load(buffer_, {0}); }
    const BufferPtr& buffer() const { return buffer_; }

private:
    BufferPtr buffer_;
};

Expr load(const BufferPtr& buffer, Indices indices);

/// Makes statements, all with the origin of one call.
class Loops {
public:
    explicit Loops(int origin) : origin_(origin) {}

    Stmt loop(const std::string& name, const Expr& extent, const std::function<Stmt(Var)>& body,
              ForKind kind = ForKind::Serial) const;
    /// A nest of loops over shape, all of one kind or with only the first of it.
    Stmt nest(const std::string& name, const Shape& shape, const std::function<Stmt(const std::vector<Var>&)>& body,
              ForKind outermost = ForKind::Serial) const;
    Stmt store(const BufferPtr& buffer, Indices indices, const Expr& value) const;
    Stmt set(const Cell& cell, const Expr& value) const { return store(cell.buffer(), {0}, value); }
    Stmt let(const std::string& name, const Expr& value, const std::function<Stmt(Var)>& body) const;
    Stmt when(const Expr& condition, Stmt thenCase, Stmt elseCase = nullptr) const;
    Stmt repeat(const Expr& condition, Stmt body) const;
    Stmt check(const Expr& condition, tir::CheckKind kind, const std::string& message) const;
    Stmt all(std::vector<Stmt> stmts) const { return tir::seq(std::move(stmts), origin_); }
    Stmt allocate(const std::vector<BufferPtr>& buffers, Stmt body) const;
    Stmt with(const std::vector<Cell>& cells, Stmt body) const;
    /// Adds 1.
    Stmt increment(const Cell& cell) const;

private:
    int origin_;
};

/// Buffers for a call's operands and results, and the parameter lists of its kernels.
struct KernelBuffers {
    std::vector<BufferPtr> args; // null for an absent operand
    std::vector<BufferPtr> results;

    explicit KernelBuffers(const CallContext& call);
    /// operands, state, results (if asked for), then the symbols of all their shapes.
    tir::PrimFuncPtr kernel(const std::string& name, Stmt body) const;
    /// The two kernels of an operator whose sizes depend on data. `sizes` stores to a buffer made by sizesBuffer.
    DynamicKernel dynamic(const std::string& name, const BufferPtr& sizes, std::vector<BufferPtr> state, Stmt sizesBody,
                          Stmt fillBody) const;
};

/// Symbols of the result type that no operand has: what a Dynamic operator defines.
std::vector<Var> newSymbols(const CallContext& call);
/// int64[number of new symbols]
BufferPtr sizesBuffer(const CallContext& call);
/// Stores the value of the one symbol that a call may define; nothing (null) if the size was known beforehand.
Stmt storeSize(const Loops& loops, const BufferPtr& sizes, const Expr& value);

} // namespace lathe::topi
