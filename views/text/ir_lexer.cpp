// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/text/ir_lexer.h"

#include "views/models/text/colors.h"

#include <Qsci/qsciscintilla.h>

namespace lathe::views::text {

namespace {

/// Styles of QScintilla: plain text, then by TokenKind.
constexpr int plain = 0, styles = 7;

int styleOf(models::TokenKind kind) {
    return int(kind) + 1;
}

} // namespace

IrLexer::IrLexer(QObject* parent) : QsciLexerCustom(parent) {}

void IrLexer::colour(const QPalette& palette, const QFont& font) {
    const models::Colors colors = models::colorsFor(palette);
    setDefaultColor(colors.text);
    setDefaultPaper(palette.color(QPalette::Base));
    setDefaultFont(font);
    for (int style = 0; style < styles; ++style) {
        setColor(style == plain ? colors.text : colors.of(models::TokenKind(style - 1)), style);
        setPaper(palette.color(QPalette::Base), style);
        setFont(font, style);
    }
}

QString IrLexer::description(int style) const {
    static const QString names[styles] = {"Text", "Keyword", "Type", "Name", "Number", "String", "Comment"};
    return style >= 0 && style < styles ? names[style] : QString();
}

void IrLexer::styleText(int, int end) {
    startStyling(end);
}

void IrLexer::colourLine(int line, QStringView text) {
    startStyling(int(editor()->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, line)));
    const auto style = [&](qsizetype from, qsizetype length, int as) {
        if (length > 0)
            setStyling(int(text.mid(from, length).toUtf8().size()), as);
    };
    qsizetype at = 0;
    for (const models::Token& token : models::tokensOf(text.toString())) {
        style(at, token.start - at, plain);
        style(token.start, token.length, styleOf(token.kind));
        at = token.start + token.length;
    }
    style(at, text.size() - at, plain);
}

} // namespace lathe::views::text
