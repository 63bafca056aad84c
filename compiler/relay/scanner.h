// SPDX-License-Identifier: Apache-2.0
//
// Characters to words for the parser of IR text. The first error sticks, with its line; after it everything reads as
// absent, so the parser needs no check after each step.
#pragma once

#include "arith/expr.h"
#include "base/result.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace lathe::relay {

class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    bool failed() const { return error_.has_value(); }
    const Diagnostic& error() const { return *error_; }
    void fail(std::string what);
    int line() const { return line_; }

    /// Whether the text goes on with `token` (after spaces); accept also moves on, expect fails if it does not.
    bool at(std::string_view token);
    bool accept(std::string_view token);
    void expect(std::string_view token);
    /// A letter or '_', then letters, digits, '_', '.'; empty (and an error) if there is none.
    std::string word();
    bool atWord(std::string_view word);
    std::string quoted();
    /// A word or a quoted text.
    std::string name();
    int64_t integer();
    /// As printed by fmt; also inf, nan. `bits` gets the pattern of "0x…".
    double real(std::optional<uint64_t>* bits = nullptr);
    std::string hexadecimal(size_t digits);
    /// Everything up to `end`, which is read too.
    std::string until(char end);
    bool atEnd();
    /// Whether the very next character, without spaces, is `c`.
    bool next(char c) const { return position_ < text_.size() && text_[position_] == c; }

    /// Guards recursion: false and an error beyond limits::textNesting.
    bool enter();
    void leave() { --depth_; }

private:
    std::string_view text_;
    size_t position_ = 0;
    int line_ = 1, depth_ = 0;
    std::optional<Diagnostic> error_;

    void skip();
    void move(size_t count);
};

/// Index and bool expressions over symbols. A symbol is declared with its range, "n{0..4096}", where it first occurs.
class ExprParser {
public:
    explicit ExprParser(Scanner& scanner) : in_(scanner) {}
    arith::Expr parse() { return binary(1); }

private:
    Scanner& in_;
    std::unordered_map<std::string, arith::Expr> symbols_;

    arith::Expr binary(int least);
    arith::Expr unary();
    arith::Expr function(const std::string& name);
    arith::Expr symbol(const std::string& name);
    arith::Expr combine(arith::ExprKind kind, const arith::Expr& a, const arith::Expr& b);
    arith::Expr none() { return arith::Expr(0); }
};

} // namespace lathe::relay
