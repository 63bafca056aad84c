// SPDX-License-Identifier: Apache-2.0
//
// Splits loop IR text into tokens.
#include "tir/lexer.h"

#include "tir/names.h"

#include <charconv>

namespace lathe::tir {
namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

constexpr std::string_view twoCharacterTokens[] = {"==", "!=", "<=", ">=", "&&", "||", "<<", ">>"};

} // namespace

void Lexer::skipBlanks() {
    while (position_ < source_.size()) {
        char c = source_[position_];
        if (c == '#') {
            while (position_ < source_.size() && source_[position_] != '\n')
                ++position_;
            continue;
        }
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
            return;
        if (c == '\n')
            ++line_;
        ++position_;
    }
}

Token Lexer::quoted(char quote, TokenKind kind) {
    Token token{kind, {}, line_};
    ++position_;
    while (position_ < source_.size() && source_[position_] != '\n') {
        char c = source_[position_++];
        if (c == quote)
            return token;
        if (c != '\\') {
            token.text += c;
            continue;
        }
        unsigned code = 0;
        std::string_view digits = source_.substr(position_, 3);
        if (digits.size() < 3 || digits[0] != 'x')
            break;
        auto [end, status] = std::from_chars(digits.data() + 1, digits.data() + 3, code, 16);
        if (status != std::errc() || end != digits.data() + 3)
            break;
        token.text += static_cast<char>(code);
        position_ += 3;
    }
    token.kind = TokenKind::Bad;
    return token;
}

Token Lexer::number() {
    size_t start = position_;
    auto digits = [&] {
        while (position_ < source_.size() && isDigit(source_[position_]))
            ++position_;
    };
    digits();
    if (position_ < source_.size() && source_[position_] == '.') {
        ++position_;
        digits();
    }
    if (position_ < source_.size() && source_[position_] == 'e') {
        ++position_;
        if (position_ < source_.size() && (source_[position_] == '+' || source_[position_] == '-'))
            ++position_;
        digits();
    }
    return {TokenKind::Number, std::string(source_.substr(start, position_ - start)), line_};
}

Token Lexer::next() {
    skipBlanks();
    if (position_ >= source_.size())
        return {TokenKind::End, {}, line_};
    char c = source_[position_];
    if (isDigit(c))
        return number();
    if (c == '`')
        return quoted('`', TokenKind::Name);
    if (c == '"')
        return quoted('"', TokenKind::Text);
    if (isIdentifierStart(c)) {
        size_t start = position_;
        while (position_ < source_.size() && isIdentifierPart(source_[position_]))
            ++position_;
        return {TokenKind::Word, std::string(source_.substr(start, position_ - start)), line_};
    }
    for (std::string_view two : twoCharacterTokens)
        if (source_.substr(position_, 2) == two) {
            position_ += 2;
            return {TokenKind::Punct, std::string(two), line_};
        }
    ++position_;
    bool known = std::string_view("(){}[],;:=<>+-*/%&|^!~@").find(c) != std::string_view::npos;
    return {known ? TokenKind::Punct : TokenKind::Bad, std::string(1, c), line_};
}

} // namespace lathe::tir
