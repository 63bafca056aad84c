// SPDX-License-Identifier: Apache-2.0
//
// Parallel regions (required): a parallel loop becomes a loop over chunks, each of which is worth a thread.
//
//     for i in n parallel { … }        let chunks = min(max(min(floordiv(WORK * n, GRAIN), 64), 1), max(n, 1))
//                                 →    for c in chunks parallel {
//                                        for i in floordiv((c + 1) * n, chunks) - floordiv(c * n, chunks)
//                                                from floordiv(c * n, chunks) { … } }
//
// A schedule says which loop may run on many threads; whether it does, and in how many pieces, is decided here and
// nowhere else, so that it stands in the text and code generators only emit it: a task for each iteration of a parallel
// loop, in place where there is one. WORK is an estimate of an iteration in units of one vector instruction, GRAIN what the
// loop says (For::grain). How many chunks there are never follows from the number of threads, so threads cannot change a
// result.
//
// A loop that gives one chunk at most becomes serial, and so does a parallel loop inside of another. Runs last before
// types are legalized: what an iteration costs is seen best when vectors stand there, and the passes before prove more
// of a loop that starts at 0.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

/// Chunks of a region at most: enough to even out the load. What each chunk has memory of its own for is bounded by it.
inline constexpr int64_t parallelChunks = 64;
static_assert(parallelChunks < 65'536, "the runtime's threads share out fewer; of more, all run on one of them");

/// About how many chunks the loop gets with a grain, as it stands before it is lowered; nothing if that depends on sizes.
std::optional<int64_t> chunksOf(const For& loop, int64_t grain);

PrimFuncPtr parallelRegions(const PrimFuncPtr& function);

} // namespace lathe::tir
