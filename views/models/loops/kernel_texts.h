// SPDX-License-Identifier: GPL-3.0-or-later
//
// A kernel's text at each level, from what it computes to machine code, with the origin of each line and its statement: lines
// of one origin came from the same nodes of the model (inspect/provenance.h says which), lines of one statement are one there
// too (inspect/statements.h).
#pragma once

#include "driver/trace.h"
#include "inspect/statements.h"

#include <QString>
#include <array>
#include <vector>

namespace lathe::views::models {

enum class KernelLevel { Computation, Schedule, Loops, Llvm, Assembly };
constexpr int kernelLevels = 5;
constexpr int loopLevels = 3; // of these the first ones stand in the Trace; the others are compiled when asked for

struct OriginText {
    QString text;
    std::vector<int> origins;                        // of each line; -1: none
    std::vector<inspect::Statement> statements = {}; // likewise; empty: of none is known which it is elsewhere
};

/// The function as text.
OriginText textOf(const tir::PrimFunc& function, const inspect::Statements& statements = {});

struct LoopTexts {
    std::array<OriginText, loopLevels> levels; // computation, schedule, loops; empty where the kernel has none
    inspect::Statements ofNest;                // by LoopCost::stmt, of inspect::nestOf
};

/// Prints: call it on a worker thread.
LoopTexts loopTexts(const driver::KernelRecord& kernel);

struct CodeTexts {
    OriginText llvm;     // the function alone, without its debug information
    OriginText assembly; // addresses and instructions
    int instructions = 0;
    int loopInstructions = 0; // of these in loops
    int loopStack = 0;        // of these that read or write the stack: values that found no register
    QString problem;          // why there are no texts
};
/// Compiles the kernel again: call it on a worker thread.
CodeTexts codeTexts(const driver::KernelRecord& kernel);

} // namespace lathe::views::models
