// SPDX-License-Identifier: Apache-2.0
//
// Splits loop IR text into tokens.
#include "tir/lexer.h"

namespace lathe::tir {
namespace {

std::string number(arith::Scanner& in) {
    std::string text(in.takeWhile(arith::isDigit));
    if (in.next('.')) {
        text += in.take(1);
        text += in.takeWhile(arith::isDigit);
    }
    if (in.next('e')) {
        text += in.take(1);
        if (in.next('+') || in.next('-'))
            text += in.take(1);
        text += in.takeWhile(arith::isDigit);
    }
    return text;
}

} // namespace

Token nextToken(arith::Scanner& in) {
    if (in.atEnd())
        return {TokenKind::End, {}, in.line()};
    Token token{TokenKind::Punct, std::string(in.punctuation()), in.line()};
    if (!token.text.empty()) {
        in.take(token.text.size());
        return token;
    }
    if (in.atInteger()) {
        token.kind = TokenKind::Number;
        token.text = number(in);
        return token;
    }
    if (in.atName()) {
        token.kind = TokenKind::Word;
        token.text = in.word();
        return token;
    }
    char first = in.take(1).front();
    if (first != '`' && first != '"') {
        token.kind = TokenKind::Bad;
        token.text = first;
    } else if (!in.quotedRest(first, {.hex = true}, token.text)) {
        token.kind = TokenKind::Bad;
    } else {
        token.kind = first == '`' ? TokenKind::Name : TokenKind::Text;
    }
    return token;
}

} // namespace lathe::tir
