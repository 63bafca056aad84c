// SPDX-License-Identifier: Apache-2.0
//
// One way to walk and one way to rewrite loop IR. Recursion is over nesting (loops, ifs), never over the length of a Seq.
#pragma once

#include "tir/ir.h"

#include <functional>

namespace lathe::tir {

/// Pre-order; fn returns false to not descend into that statement.
void visitStmts(const Stmt& stmt, const std::function<bool(const Stmt&)>& fn);
/// Every expression that stands in the statement and below it (not its subexpressions).
void visitExprs(const Stmt& stmt, const std::function<void(const Expr&)>& fn);
/// The expressions of this statement alone.
std::vector<Expr> exprsOf(const StmtNode& stmt);
/// The statements directly inside this one.
std::vector<Stmt> childrenOf(const StmtNode& stmt);

/// Rewrites bottom-up. Override what changes; the base rebuilds a node only if something in it changed and keeps origins.
class Mutator {
public:
    virtual ~Mutator() = default;
    virtual Stmt mutate(const Stmt& stmt);
    virtual Expr mutate(const Expr& expr); // default: the expression itself
    virtual BufferPtr mutate(const BufferPtr& buffer) { return buffer; }

protected:
    Stmt descend(const Stmt& stmt);
};

/// Replaces variables in all expressions (bounds, indices, values, predicates, buffer shapes of Allocates).
Stmt substitute(const Stmt& stmt, const arith::VarMap& map);

} // namespace lathe::tir
