// SPDX-License-Identifier: Apache-2.0
//
// The parser of expressions, by precedence climbing; arith/print.h has the grammar. What there is beside operators,
// brackets and the functions of integers, and where words come from, a language adds. Types are checked before a node is
// made: text may be wrong, but the expressions that come of it are not.
#pragma once

#include "arith/expr.h"
#include "arith/scanner.h"
#include "base/limits.h"

namespace lathe::arith {

/// Of an expression in text, if nothing needs less: a chain such as a + b + c + … is as deep as long.
inline constexpr uint32_t deepestText = 8 * limits::textNesting;

class ExprParser {
public:
    virtual ~ExprParser() = default;

protected:
    /// An expression deeper than `maximumDepth` is refused.
    explicit ExprParser(uint32_t maximumDepth = deepestText) : maximumDepth_(maximumDepth) {}

    // ---- the text: as Scanner has it
    virtual bool ok() const = 0;
    virtual void fail(std::string what) = 0;
    virtual std::string_view punctuation() = 0;
    virtual bool accept(std::string_view token) = 0;
    virtual void expect(std::string_view token) = 0;
    virtual bool enter() = 0;
    virtual void leave() = 0;

    // ---- the language
    /// Of operators and of floordiv, floormod, min, max and select.
    virtual bool has(ExprKind kind) const = 0;
    /// Whether the operator or function, one of those of a single type, is one of operands of this type.
    virtual bool takes(ExprKind kind, DataType type) const;
    /// What is no operator, bracket or `!`: a constant, a name, a call.
    virtual Expr operand() = 0;

    // ---- what is made of them; after a failure anything but null
    Expr expr() { return binary(1); }
    Expr unary();
    std::vector<Expr> exprList(std::string_view end); // up to and with `end`
    /// The arguments in brackets, as many as there must be.
    std::vector<Expr> arguments(size_t count);
    /// floordiv, floormod, min, max or select, whose name was read; null if the language has none of that name.
    Expr function(std::string_view name);
    /// Fails beyond the maximum depth.
    Expr limited(Expr expr);

private:
    uint32_t maximumDepth_;

    Expr binary(int leastPrecedence);
    Expr checked(ExprKind kind, Expr a, Expr b);
};

/// Expressions that stand right in a scanner's text. A number is an index.
class ScannedExprParser : public ExprParser {
protected:
    explicit ScannedExprParser(Scanner& scanner, uint32_t maximumDepth = deepestText)
        : ExprParser(maximumDepth), in_(scanner) {}

    Scanner& in_;

    /// What a word stands for that was just read.
    virtual Expr named(const std::string& word) = 0;
    Expr operand() override;

    bool ok() const override { return !in_.failed(); }
    void fail(std::string what) override { in_.fail(std::move(what)); }

private:
    std::string_view punctuation() override { return in_.punctuation(); }
    bool accept(std::string_view token) override { return in_.accept(token); }
    void expect(std::string_view token) override { in_.expect(token); }
    bool enter() override { return in_.enter(); }
    void leave() override { in_.leave(); }
};

} // namespace lathe::arith
