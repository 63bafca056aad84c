// SPDX-License-Identifier: GPL-3.0-or-later
//
// Text before and after a pass, line by line. Lines are paired by Myers' O(ND) algorithm ("An O(ND) Difference Algorithm
// and Its Variations", 1986), within a limit on the differences: beyond it the middle counts as replaced.
#pragma once

#include "driver/trace.h"

#include <QStringList>
#include <memory>
#include <vector>

namespace lathe::views::models {

struct ComparedRow {
    enum class Kind { Same, Removed, Added, Changed };
    Kind kind = Kind::Same;
    int before = -1, after = -1; // line numbers from 0; -1: no line on that side
};

struct Comparison {
    QString title;
    QStringList before, after;
    std::vector<ComparedRow> rows;
    /// For each line the model nodes it came from; empty where none is known.
    std::vector<std::vector<int>> nodesBefore, nodesAfter;

    int differences() const; // runs of rows that are not Same
};

std::vector<ComparedRow> compareLines(const QStringList& before, const QStringList& after);

/// The functions that can be looked at after a pass: "" (the whole module), functions of the module, or kernels.
QStringList functionsOf(const driver::Trace& trace, int pass);

/// Text of `function` before and after a pass. Prints the IR: call it on a worker thread.
Comparison comparePass(const driver::Trace& trace, int pass, const QString& function);

} // namespace lathe::views::models
