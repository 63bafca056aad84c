// SPDX-License-Identifier: Apache-2.0
//
// Words and expressions as graph IR text has them.
#pragma once

#include "arith/parse.h"

#include <unordered_map>

namespace lathe::relay {

class Scanner : public arith::Scanner {
public:
    using arith::Scanner::Scanner;

    std::string quoted();
    /// A word or a quoted text.
    std::string name();
    /// As printed by fmt; also inf, nan. `bits` gets the pattern of "0x…".
    double real(std::optional<uint64_t>* bits = nullptr);
    std::string hexadecimal(size_t digits);
    /// Everything up to `end`, which is read too.
    std::string until(char end);
};

/// Index and bool expressions over symbols. A symbol is declared with its range, "n{0..4096}", where it first occurs.
class ExprParser : arith::ScannedExprParser {
public:
    explicit ExprParser(Scanner& scanner);
    /// After a failure a number.
    arith::Expr parse();

private:
    std::unordered_map<std::string, arith::Expr> symbols_;

    bool has(arith::ExprKind kind) const override;
    bool takes(arith::ExprKind kind, DataType type) const override;
    arith::Expr named(const std::string& word) override;
    arith::Expr symbol(const std::string& name);
};

} // namespace lathe::relay
