// SPDX-License-Identifier: GPL-3.0-or-later
//
// Text before and after a pass, line by line, with the model nodes that each line came from.
#pragma once

#include "base/text_diff.h"
#include "driver/trace.h"
#include "views/models/text/tinted_text.h"

#include <QStringList>
#include <memory>
#include <vector>

namespace lathe::views::models {

struct Comparison {
    QString title;
    QStringList before, after;
    std::vector<DiffRow> rows;
    /// For each line the model nodes it came from; empty where none is known.
    std::vector<std::vector<int>> nodesBefore, nodesAfter;
    /// Rows at which a difference begins: of the graph IR each binding that differs, else each run of lines.
    std::vector<int> differences;
    /// The sides by row, as they are shown.
    TintedText left, right;

    /// Makes the sides of the rows, and finds the runs that differ.
    void align();
};

/// The functions that can be looked at after a pass: "" (the whole module), functions of the module, or kernels.
QStringList functionsOf(const driver::Trace& trace, int pass);

/// Text of `function` before and after a pass. Prints the IR: call it on a worker thread.
Comparison comparePass(const driver::Trace& trace, int pass, const QString& function);

} // namespace lathe::views::models
