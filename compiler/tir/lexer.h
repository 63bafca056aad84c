// SPDX-License-Identifier: Apache-2.0
//
// Tokens of loop IR text. Anything may stand in the text: what is no token becomes one of kind Bad.
#pragma once

#include "arith/scanner.h"

namespace lathe::tir {

enum class TokenKind { End, Word, Name, Number, Text, Punct, Bad };

/// Word: a bare identifier; Name: one in backticks (never a reserved word); Text: in double quotes. `text` is
/// unescaped.
struct Token {
    TokenKind kind = TokenKind::End;
    std::string text;
    int line = 1;
};

/// "#" begins a comment.
inline constexpr arith::Scanner::Blanks tokenBlanks{.comment = '#'};

/// Reads a token; End, again and again, after the last.
Token nextToken(arith::Scanner& in);

} // namespace lathe::tir
