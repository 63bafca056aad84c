// SPDX-License-Identifier: Apache-2.0
//
// Short ways to write loop IR by hand in tests.
#pragma once

#include "tir/ir.h"

namespace lathe::codegen::testing {

using arith::Expr;
using arith::Var;

inline tir::Stmt loop(const Var& var, Expr extent, tir::Stmt body, tir::ForKind kind = tir::ForKind::Serial) {
    return tir::makeStmt(tir::For{var, Expr(0), std::move(extent), kind, std::move(body)}, 0);
}
inline tir::Stmt store(const tir::BufferPtr& buffer, std::vector<Expr> indices, Expr value) {
    return tir::makeStmt(tir::Store{buffer, std::move(indices), std::move(value), {}}, 0);
}
inline tir::Stmt when(Expr condition, tir::Stmt body, tir::Stmt otherwise = nullptr) {
    return tir::makeStmt(tir::If{std::move(condition), std::move(body), std::move(otherwise)}, 0);
}
inline tir::Stmt list(std::vector<tir::Stmt> stmts) {
    return tir::seq(std::move(stmts), 0);
}
inline tir::Stmt allocate(const tir::BufferPtr& buffer, tir::Stmt body) {
    return tir::makeStmt(tir::Allocate{buffer, std::move(body)}, 0);
}
inline tir::Stmt check(Expr condition, tir::CheckKind kind = tir::CheckKind::InvalidValue) {
    return tir::makeStmt(tir::Check{std::move(condition), kind, "does not hold", -1}, 0);
}
inline tir::PrimFuncPtr kernel(std::string name, std::vector<tir::BufferPtr> buffers, std::vector<Var> scalars,
                               tir::Stmt body, int outputs = 1) {
    auto function = std::make_shared<tir::PrimFunc>();
    function->name = std::move(name);
    for (const tir::BufferPtr& buffer : buffers)
        function->params.push_back({buffer, {}});
    for (const Var& scalar : scalars)
        function->params.push_back({nullptr, scalar});
    function->outputs = outputs;
    function->body = std::move(body);
    return function;
}

} // namespace lathe::codegen::testing
