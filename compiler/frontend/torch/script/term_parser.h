// SPDX-License-Identifier: Apache-2.0
//
// Reads the values and types of a TorchScript text, word by word. After the first fault everything is a no-op.
#pragma once

#include "frontend/torch/script/scanner.h"
#include "frontend/torch/script/syntax.h"

#include <optional>
#include <utility>

namespace lathe::frontend::torch::script {

class TermParser {
public:
    explicit TermParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    /// All words are one value.
    Result<TermPtr> onlyTerm();

protected:
    // ---- words
    const Token& now() const { return tokens_[at_]; }
    bool failed() const { return fault_.has_value(); }
    bool isAt(Token::Kind kind) const { return now().kind == kind; }
    bool isSign(std::string_view sign) const { return isAt(Token::Kind::Sign) && now().text == sign; }
    bool isWord(std::string_view word) const { return isAt(Token::Kind::Name) && now().text == word; }
    void fail(const std::string& what);
    bool accept(std::string_view text) {
        if (failed() || (!isSign(text) && !isWord(text)))
            return false;
        ++at_;
        return true;
    }
    void expect(std::string_view text) {
        if (!accept(text))
            fail("'" + std::string(text) + "' is expected");
    }
    std::string word() {
        if (!isAt(Token::Kind::Name))
            fail("a name is expected");
        return failed() ? std::string() : tokens_[at_++].text;
    }
    void endLine() {
        if (!failed() && isAt(Token::Kind::Line))
            ++at_;
        else
            fail("the line goes on where it should end");
    }
    void skipLine() {
        while (!isAt(Token::Kind::Line) && !isAt(Token::Kind::End))
            ++at_;
        if (isAt(Token::Kind::Line))
            ++at_;
    }

    // ---- terms
    TermPtr term();
    /// Without a choice.
    TermPtr postfix();
    /// One value, or a tuple of several without brackets.
    TermPtr listed(std::string_view end);

    std::vector<Token> tokens_; // ends with End, which nothing steps over
    size_t at_ = 0;
    std::optional<Diagnostic> fault_;

private:
    std::shared_ptr<Term> make(Term::Kind kind);
    /// Whoever walks terms goes down into each of their parts: also what stands on the left lies deep.
    TermPtr measured(const std::shared_ptr<Term>& made);
    TermPtr emptyTuple();
    TermPtr call(const TermPtr& callee);
    TermPtr primary();
    TermPtr negative();
    TermPtr named();
    TermPtr bracketed();

    int depth_ = 0;
};

} // namespace lathe::frontend::torch::script
