// SPDX-License-Identifier: Apache-2.0
//
// Tokens of loop IR text. Anything may stand in the text: what is no token becomes one of kind Bad.
#pragma once

#include <string>
#include <string_view>

namespace lathe::tir {

enum class TokenKind { End, Word, Name, Number, Text, Punct, Bad };

/// Word: a bare identifier; Name: one in backticks (never a reserved word); Text: in double quotes. `text` is
/// unescaped.
struct Token {
    TokenKind kind = TokenKind::End;
    std::string text;
    int line = 1;
};

class Lexer {
public:
    explicit Lexer(std::string_view source) : source_(source) {}

    /// End, again and again, after the last. "#" begins a comment.
    Token next();

private:
    void skipBlanks();
    Token quoted(char quote, TokenKind kind);
    Token number();

    std::string_view source_;
    size_t position_ = 0;
    int line_ = 1;
};

} // namespace lathe::tir
