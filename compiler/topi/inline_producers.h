// SPDX-License-Identifier: Apache-2.0
//
// Which computations have memory of their own and which become part of their readers.
#pragma once

#include "base/target.h"
#include "schedule/attempt.h"

#include <functional>

namespace lathe::topi {

/// Whether a block has memory of its own whatever that costs: it is a stage of a schedule for several.
using KeepsBlock = std::function<bool(const schedule::BlockRef&)>;

/// Producers into consumers where that repeats no real work. Asks for "place", but not of blocks that are kept.
void inlineProducers(schedule::Schedule& schedule, const KeepsBlock& keeps, const Target& target,
                     std::vector<schedule::Refusal>& refusals);

} // namespace lathe::topi
