// SPDX-License-Identifier: Apache-2.0
//
// Random PrimFuncs that use every statement and most expressions, with clashing and odd names: what the text must carry.
#pragma once

#include "tir/ir.h"

#include <random>

class RandomFunction {
public:
    explicit RandomFunction(unsigned seed);
    lathe::tir::PrimFunc make();

private:
    using Expr = lathe::tir::Expr;
    using Stmt = lathe::tir::Stmt;

    int below(int limit);
    std::string name();
    Expr index(int depth);
    Expr value(int depth);
    Expr condition(int depth);
    Stmt stmt(int depth);
    Stmt block(int depth);
    Stmt scope(int depth);
    Stmt simple();
    Expr access(const lathe::tir::BufferPtr& buffer);
    std::vector<Expr> indicesOf(const lathe::tir::BufferPtr& buffer);
    lathe::tir::BufferPtr buffer(lathe::tir::Scope scope);
    const lathe::tir::BufferPtr& anyBuffer();

    std::mt19937 random_;
    std::vector<lathe::tir::Var> vars_;
    std::vector<lathe::tir::BufferPtr> buffers_;
};
