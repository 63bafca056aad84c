// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a line of text is made of, to colour it: one simple scan for all levels, from the graph IR to assembly.
#pragma once

#include <QString>
#include <vector>

namespace lathe::views::models {

enum class TokenKind { Keyword, Type, Name, Number, String, Comment };

struct Token {
    TokenKind kind = TokenKind::Name;
    int start = 0, length = 0; // in characters
};

/// In order; what is none of these kinds is left out.
std::vector<Token> tokensOf(const QString& line);

} // namespace lathe::views::models
