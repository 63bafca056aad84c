// SPDX-License-Identifier: Apache-2.0
//
// The schedule of products between two transforms (Winograd's convolution):
//
//   operand rows -> operand -> products (a contraction) -> sums -> result rows -> results
//
// For a chunk of tiles at a time, whose operand and sums fit a cache, three phases, each parallel: tiles of the operand are
// transformed, a vector of channels at a time, from rows that stay in registers; the products have their register tile; tiles of
// results are transformed back, and what follows is computed on them.
//
// It fits one computation, that of topi/winograd.cpp with channels in blocks, whose axes it counts on. Yet the computation is
// told by its structure and not by a mark: workloads are texts without names (lower/workload.h), and one that is read from
// records must ask what it asked when it was compiled.
#pragma once

#include "base/target.h"
#include "schedule/schedule.h"

#include <optional>

namespace lathe::topi {

struct TransformedProducts {
    std::optional<schedule::BlockRef> padded; // the operand within its padding
    schedule::BlockRef operandRows, operand, products, sums, resultRows;

    bool contains(const schedule::BlockRef& block) const;
};

/// The products of a function that are computed of a transformed operand, and transformed back; nothing if it has none.
std::optional<TransformedProducts> findTransformedProducts(const schedule::Schedule& schedule);

/// Schedules all blocks of the function but those that were inlined. Throws ScheduleError where that is illegal, and where
/// chunks are asked for, but all tiles fit one or their number is not known.
void scheduleTransformedProducts(schedule::Schedule& schedule, const TransformedProducts& stages, bool chunked,
                                 const Target& target);

} // namespace lathe::topi
