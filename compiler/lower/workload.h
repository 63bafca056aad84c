// SPDX-License-Identifier: Apache-2.0
//
// The key under which schedules are decided and recorded: what is computed, and for which machine. Two hashes, so that a
// record for the same computation on another machine can be told from one for something else.
//
// Both are hashes of texts, never of enumerators or of places in a variant: a new operator or node of the IR leaves all
// records valid. The texts begin with a format number, which is raised when the text of what exists changes.
#pragma once

#include "base/hash.h"
#include "base/target.h"
#include "tir/ir.h"

namespace lathe::lower {

struct Workload {
    Hash128 computation;
    Hash128 target;
    bool operator==(const Workload&) const = default;
};

/// The function without its names and origins, as it is hashed; tir::parsePrimFunc reads it.
std::string workloadText(const tir::PrimFunc& unscheduled);

/// Of an unscheduled PrimFunc. All that schedules may look at counts: vectors, registers, caches and cores of the target.
Workload workloadOf(const tir::PrimFunc& unscheduled, const Target& target);

/// Both hashes in hexadecimal digits, with a '-' between: the key in Decisions.
std::string toString(const Workload& workload);

/// Whether a text is the key of a workload on another target than this.
bool isOnOther(std::string_view key, const Target& target);

/// Whether the computation has scalars: sizes that are known only when it runs.
bool hasOpenSizes(const tir::PrimFunc& computation);

} // namespace lathe::lower
