// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/passes/ir_highlighter.h"

#include "views/models/colors.h"
#include "views/models/ir_tokens.h"

#include <QGuiApplication>
#include <QTextDocument>
#include <algorithm>

namespace lathe::views::passes {

IrHighlighter::IrHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {
    connect(document, &QTextDocument::contentsChange, this, &IrHighlighter::forget);
}

void IrHighlighter::colour(int first, int count) {
    coloured_.resize(size_t(std::max(0, document()->blockCount())));
    QTextBlock block = document()->findBlockByNumber(first);
    colouring_ = true;
    for (int i = first; i < first + count && block.isValid(); ++i, block = block.next())
        if (!coloured_[size_t(i)]) {
            coloured_[size_t(i)] = true;
            rehighlightBlock(block);
        }
    colouring_ = false;
}

void IrHighlighter::highlightBlock(const QString& text) {
    if (!colouring_)
        return;
    const models::Colors colors = models::colorsFor(QGuiApplication::palette());
    for (const models::Token& token : models::tokensOf(text))
        setFormat(token.start, token.length, colors.of(token.kind));
}

} // namespace lathe::views::passes
