// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/text/ir_tokens.h"

#include <QSet>

namespace lathe::views::models {

namespace {

bool isKeyword(const QString& word) {
    static const QSet<QString> words{
        "fn",       "def",   "let",    "if",     "else",         "match", "loop",     "for",      "in",
        "while",    "block", "reads",  "writes", "init",         "where", "parallel", "serial",   "vectorized",
        "unrolled", "alloc", "return", "call",   "const",        "type",  "module",   "primfunc", "function",
        "true",     "false", "check",  "store",  "load",         "bind",  "symbol",   "symbols",  "primitive",
        "carry",    "scan",  "tuple",  "entry",  "define",       "br",    "phi",      "ret",      "fmul",
        "fadd",     "fsub",  "fcmp",   "icmp",   "getelementptr"};
    return words.contains(word);
}

bool isType(const QString& word) {
    for (const char* prefix : {"float", "bfloat", "int", "uint", "bool", "index", "handle"})
        if (word.startsWith(QLatin1String(prefix)))
            return true;
    return false;
}

} // namespace

std::vector<Token> tokensOf(const QString& line) {
    std::vector<Token> tokens;
    const int size = int(line.size());
    const auto isWord = [&](int i) {
        return i < size && (line[i].isLetterOrNumber() || line[i] == '_' || line[i] == '.');
    };
    for (int i = 0; i < size;) {
        const QChar c = line[i];
        int end = i + 1;
        const auto add = [&](TokenKind kind) { tokens.push_back({kind, i, end - i}); };
        if (c == '"') {
            while (end < size && line[end] != '"')
                end += line[end] == '\\' ? 2 : 1;
            end = std::min(end + 1, size);
            add(TokenKind::String);
        } else if ((c == '/' && end < size && line[end] == '/') || (c == '#' && end < size && line[end] == ' ')) {
            end = size;
            add(TokenKind::Comment);
        } else if (c == '%' || c == '@' || c == '#') {
            while (isWord(end))
                ++end;
            add(c == '#' ? TokenKind::Comment : TokenKind::Name);
        } else if (c.isDigit()) {
            while (isWord(end))
                ++end;
            add(TokenKind::Number);
        } else if (c.isLetter() || c == '_') {
            while (isWord(end))
                ++end;
            const QString word = line.mid(i, end - i);
            if (isKeyword(word))
                add(TokenKind::Keyword);
            else if (isType(word))
                add(TokenKind::Type);
        }
        i = end;
    }
    return tokens;
}

} // namespace lathe::views::models
