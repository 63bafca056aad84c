// SPDX-License-Identifier: Apache-2.0
//
// The part of the parser that statements build on: tokens, names in scope, expressions and declarations. The first
// error sticks and the rest of the text then looks empty, so that every loop ends.
#pragma once

#include "tir/ir.h"
#include "tir/lexer.h"

#include <unordered_map>

namespace lathe::tir {

class ExprParser {
public:
    explicit ExprParser(std::string_view source) : lexer_(source) { advance(); }

    bool ok() const { return !failed_; }
    const Diagnostic& diagnostic() const { return diagnostic_; }

protected:
    struct Named {
        Expr var;         // or null
        BufferPtr buffer; // or null
    };

    /// The error lies in what was read last, or in the token that is there.
    void fail(std::string what, bool atToken = false);
    void advance();
    const Token& token() const { return token_; }
    bool atEnd() const { return token_.kind == TokenKind::End; }
    bool at(std::string_view text) const;
    bool accept(std::string_view text);
    void expect(std::string_view text);
    /// A bare or quoted name; "" after a failure.
    std::string name();
    std::string text();
    int64_t integer();
    DataType dataType();

    Expr expr();
    std::vector<Expr> exprList(std::string_view end); // up to and with `end`
    /// NAME [: TYPE [ [LOWER, UPPER] ]]; a new Var, or with `same` before it the one that had the name.
    Expr varDeclaration();
    /// NAME : TYPE [ SHAPE ] attributes; `same` as above.
    BufferPtr bufferDeclaration();

    const Named* find(const std::string& name) const;
    void declare(const std::string& name, Named object);
    size_t scopeMark() const { return undo_.size(); }
    void leaveScopes(size_t mark);
    BufferPtr bufferNamed(const std::string& name);

    /// Counts brackets and braces; false (and failed) beyond limits::textNesting.
    bool enter();
    void leave() { --nesting_; }

private:
    Expr binaryExpr(int leastPrecedence);
    Expr unaryExpr();
    Expr atom();
    Expr literal(bool negative);
    Expr function(const std::string& word);
    Expr intrinsic(const std::string& word);
    Expr vectorFunction(bool isRamp);
    Expr loadOrVar(const std::string& name);
    Expr checkedBinary(arith::ExprKind kind, Expr a, Expr b);
    Expr limited(Expr expr);
    std::vector<Expr> arguments(size_t count);

    Lexer lexer_;
    Token token_;
    int lastLine_ = 1; // of the token before
    bool failed_ = false;
    Diagnostic diagnostic_;
    int nesting_ = 0;
    std::unordered_map<std::string, std::vector<Named>> scopes_;
    std::unordered_map<std::string, Named> last_; // what a name stood for last, for `same`
    std::vector<std::string> undo_;
};

/// How many arguments an intrinsic takes; -1 for one or more.
int arityOf(arith::Intrinsic intrinsic);

} // namespace lathe::tir
