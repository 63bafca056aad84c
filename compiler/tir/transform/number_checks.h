// SPDX-License-Identifier: Apache-2.0
//
// Number checks (required): each Check gets the ordinal by which the runtime finds its message.
//
// A kernel that finds a bad value returns status 1 + ordinal; the artifact's table has kind, origin and message for each
// ordinal of each kernel. Numbering happens once, in program order, after schedules (which may move or copy checks) and
// before passes that copy code (partitioning, unrolling), so that copies of one check share their ordinal and message.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

struct CheckEntry {
    CheckKind kind = CheckKind::InvalidValue;
    int origin = -1;
    std::string message;
};

/// From `first` on: the entry and the functions that it calls share a table.
PrimFuncPtr numberChecks(const PrimFuncPtr& function, int first = 0);
/// The table for a function whose checks are numbered: entry i describes ordinal i.
std::vector<CheckEntry> checksOf(const PrimFunc& function);

} // namespace lathe::tir
