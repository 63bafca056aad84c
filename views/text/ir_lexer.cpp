// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/text/ir_lexer.h"

#include "views/models/colors.h"

#include <Qsci/qsciscintilla.h>

namespace lathe::views::text {

namespace {

/// Styles of QScintilla: plain text, then by TokenKind.
constexpr int plain = 0, styles = 7;

int styleOf(models::TokenKind kind) {
    return int(kind) + 1;
}

int indentation(const QString& line) {
    int spaces = 0;
    while (spaces < line.size() && line[spaces] == ' ')
        ++spaces;
    return spaces;
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

void IrLexer::styleText(int start, int end) {
    QsciScintilla* view = editor();
    if (!view)
        return;
    int line = int(view->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, start));
    const int last = int(view->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, end));
    startStyling(int(view->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, line)));
    const auto bytes = [](const QString& text, int from, int length) {
        return int(text.mid(from, length).toUtf8().size());
    };
    for (; line <= last; ++line) {
        const QString text = view->text(line);
        int at = 0;
        for (const models::Token& token : models::tokensOf(text)) {
            setStyling(bytes(text, at, token.start - at), plain);
            setStyling(bytes(text, token.start, token.length), styleOf(token.kind));
            at = token.start + token.length;
        }
        setStyling(bytes(text, at, int(text.size()) - at), plain);
        const int own = indentation(text), next = line + 1 < view->lines() ? indentation(view->text(line + 1)) : 0;
        view->SendScintilla(QsciScintilla::SCI_SETFOLDLEVEL, line,
                            long(QsciScintilla::SC_FOLDLEVELBASE) + own +
                                (next > own ? long(QsciScintilla::SC_FOLDLEVELHEADERFLAG) : 0L));
    }
}

} // namespace lathe::views::text
