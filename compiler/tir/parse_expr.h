// SPDX-License-Identifier: Apache-2.0
//
// The part of the parser that statements build on: tokens, names in scope, expressions and declarations. The first
// error sticks and the rest of the text then looks empty, so that every loop ends.
#pragma once

#include "arith/parse.h"
#include "tir/ir.h"
#include "tir/lexer.h"

#include <unordered_map>

namespace lathe::tir {

class ExprParser : protected arith::ExprParser {
public:
    explicit ExprParser(std::string_view source);

    bool ok() const override { return !in_.failed(); }
    const Diagnostic& diagnostic() const { return in_.error(); }

protected:
    struct Named {
        Expr var;         // or null
        BufferPtr buffer; // or null
    };

    /// The error lies in what was read last, or in the token that is there.
    void fail(std::string what) override { failAt(std::move(what), lastLine_); }
    void failAtToken(std::string what) { failAt(std::move(what), atEnd() ? lastLine_ : token_.line); }
    void advance();
    const Token& token() const { return token_; }
    bool atEnd() const { return token_.kind == TokenKind::End; }
    bool at(std::string_view text) const;
    bool accept(std::string_view text) override;
    void expect(std::string_view text) override;
    /// A bare or quoted name; "" after a failure.
    std::string name();
    std::string text();
    int64_t integer();
    DataType dataType();

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
    bool enter() override;
    void leave() override { in_.leave(); }

private:
    std::string_view punctuation() override;
    bool has(arith::ExprKind) const override { return true; }
    Expr operand() override;
    Expr literal(bool negative);
    Expr call(const std::string& word);
    Expr intrinsic(const std::string& word);
    Expr vectorFunction(bool isRamp);
    Expr loadOrVar(const std::string& name);
    void failAt(std::string what, int line);
    void stop();

    arith::Scanner in_;
    Token token_;
    int lastLine_ = 1; // of the token before
    std::unordered_map<std::string, std::vector<Named>> scopes_;
    std::unordered_map<std::string, Named> last_; // what a name stood for last, for `same`
    std::vector<std::string> undo_;
};

/// How many arguments an intrinsic takes; -1 for one or more.
int arityOf(arith::Intrinsic intrinsic);

} // namespace lathe::tir
