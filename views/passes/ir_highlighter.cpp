// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/passes/ir_highlighter.h"

#include "views/models/colors.h"

#include <QGuiApplication>
#include <QSet>

namespace lathe::views::passes {

namespace {

bool isKeyword(const QString& word) {
    static const QSet<QString> words{
        "fn",     "def",   "let",    "if",     "else",    "match",     "loop",     "for",        "in",       "while",
        "block",  "reads", "writes", "init",   "where",   "parallel",  "serial",   "vectorized", "unrolled", "alloc",
        "return", "call",  "const",  "type",   "module",  "primfunc",  "function", "true",       "false",    "check",
        "store",  "load",  "bind",   "symbol", "symbols", "primitive", "carry",    "scan",       "tuple",    "entry"};
    return words.contains(word);
}

bool isType(const QString& word) {
    for (const char* prefix : {"float", "bfloat", "int", "uint", "bool", "index", "handle"})
        if (word.startsWith(QLatin1String(prefix)))
            return true;
    return false;
}

} // namespace

IrHighlighter::IrHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {}

void IrHighlighter::highlightBlock(const QString& text) {
    if (!enabled_)
        return;
    const models::Colors colors = models::colorsFor(QGuiApplication::palette());
    auto isWord = [&](int i) {
        return i < text.size() && (text[i].isLetterOrNumber() || text[i] == '_' || text[i] == '.');
    };
    for (int i = 0; i < text.size();) {
        const QChar c = text[i];
        int end = i + 1;
        if (c == '"') {
            while (end < text.size() && text[end] != '"')
                end += text[end] == '\\' ? 2 : 1;
            end = std::min(end + 1, int(text.size()));
            setFormat(i, end - i, colors.string);
        } else if ((c == '/' && end < text.size() && text[end] == '/') ||
                   (c == '#' && end < text.size() && text[end] == ' ')) {
            setFormat(i, int(text.size()) - i, colors.comment);
            return;
        } else if (c == '%' || c == '@' || c == '#') {
            while (isWord(end))
                ++end;
            setFormat(i, end - i, c == '#' ? colors.comment : colors.name);
        } else if (c.isDigit()) {
            while (isWord(end))
                ++end;
            setFormat(i, end - i, colors.number);
        } else if (c.isLetter() || c == '_') {
            while (isWord(end))
                ++end;
            const QString word = text.mid(i, end - i);
            if (isKeyword(word))
                setFormat(i, end - i, colors.keyword);
            else if (isType(word))
                setFormat(i, end - i, colors.string);
        }
        i = end;
    }
}

} // namespace lathe::views::passes
