// SPDX-License-Identifier: Apache-2.0
//
// Text of expressions, with names supplied by whoever prints a whole function (unique, quoted where needed).
//
//   constants     3 (index)  true (bool)  -3:int32  0.5:float32  inf:float32  nan:float16
//   operators     || && | ^ & == != < <= > >= << >> + - * / % ! ~    binding as in C; / is Div, % is Mod
//   functions     floordiv(a, b) floormod(a, b) min(a, b) max(a, b) select(c, a, b) cast:TYPE(x)
//                 ramp(base, stride, lanes) broadcast(x, lanes) INTRINSIC:TYPE(args)
//   loads         A[i, j]   masked: A[i, j; mask]:TYPE
#pragma once

#include "arith/expr.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lathe::arith {

struct Names {
    std::function<std::string(const Expr&)> ofVar;
    std::function<std::string(const StoragePtr&)> ofStorage;
};

void print(std::string& out, const Expr& expr, const Names& names);

/// Names for what stands alone: of different Vars that are called the same the second is NAME_2, and so on.
class VarNames {
public:
    const std::string& of(const Expr& var);

private:
    std::vector<std::pair<const ExprNode*, std::string>> names_; // a few
};

/// The operator's spelling ("+", "<=") or function name ("floordiv"); null for kinds that have neither.
const char* spelling(ExprKind kind);
/// How tightly a binary operator binds, 1 (||) to 10 (*); 0 for what is no binary operator.
int precedence(ExprKind kind);

} // namespace lathe::arith
