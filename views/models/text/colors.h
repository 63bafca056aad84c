// SPDX-License-Identifier: GPL-3.0-or-later
//
// The colours that pages draw with, for a light and a dark window. Which one applies is read from the palette, so the pages
// follow the window and need no setting of their own.
#pragma once

#include "model/model_graph.h"
#include "views/models/text/ir_tokens.h"

#include <QColor>
#include <QPalette>

namespace lathe::views::models {

struct Colors {
    bool dark = false;
    QColor canvas, grid, box, boxBorder, text, dimText, arrow, selection, problem, good;
    QColor added, removed, changed; // backgrounds of lines in a comparison
    QColor marked;                  // of lines that are part of the selection
    QColor markedStatement;         // of those of them that are the statement which was picked
    QColor sought;                  // what is searched for; what stands there is read through it
    QColor keyword, name, number, string, comment;
    // Of operators; see of().
    QColor product, activation, normalization, reduction, movement, arithmetic, control, quantization, random, other;

    /// The colour of a family of operators. Families that differ for a computation but not for a reader share one.
    QColor of(model::Family family) const;
    QColor of(TokenKind kind) const;
    /// Behind lines that came from one origin: neighbouring numbers differ well, and repeat after `origins`.
    QColor ofOrigin(int origin) const;
    static constexpr int origins = 8;
    /// Of what a fused function computes, by its call, in hues that change likewise. Text is read on it.
    QColor ofFunction(int call) const;
    /// From pale to strong, one hue, for a share of 0 … 1. Text is read on it.
    QColor ofShare(double share) const;
};

Colors colorsFor(const QPalette& palette);

} // namespace lathe::views::models
