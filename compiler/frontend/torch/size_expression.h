// SPDX-License-Identifier: Apache-2.0
//
// Sizes as programs of torch.export write them, in SymPy's words: "2*s0 + 1", "(s0//2)", "Max(1, s0)", and since 2.9
// "Mul(Integer(2), Symbol('s0', positive=True, integer=True))". They become index expressions (or conditions).
#pragma once

#include "arith/expr.h"
#include "base/result.h"

#include <functional>
#include <string_view>
#include <vector>

namespace lathe::frontend::torch {

/// What a symbol stands for; null: it is not known.
using SymbolValue = std::function<arith::Expr(const std::string& name)>;

/// Null if a symbol is not known. Fails for a text that is no such expression, or one with functions that are not supported.
Result<arith::Expr> parseSize(std::string_view text, const SymbolValue& valueOf);

/// The symbol's name, if the text is one alone.
std::optional<std::string> asSymbol(std::string_view text);

/// Of a text that has one symbol that is not known, and that once: what it is if the text is `value`, as in "4*s0 + 1"; and what
/// must hold then. Nothing where that cannot be told.
struct Solved {
    std::string symbol;
    arith::Expr value;
    arith::Expr condition;
};
std::optional<Solved> solve(std::string_view text, const arith::Expr& value, const SymbolValue& valueOf);

} // namespace lathe::frontend::torch
