// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/passes/ir_highlighter.h"

#include "views/models/colors.h"
#include "views/models/ir_tokens.h"

#include <QGuiApplication>

namespace lathe::views::passes {

IrHighlighter::IrHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {}

void IrHighlighter::highlightBlock(const QString& text) {
    if (!enabled_)
        return;
    const models::Colors colors = models::colorsFor(QGuiApplication::palette());
    for (const models::Token& token : models::tokensOf(text))
        setFormat(token.start, token.length, colors.of(token.kind));
}

} // namespace lathe::views::passes
