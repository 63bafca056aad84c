// SPDX-License-Identifier: Apache-2.0
//
// Which computations have memory of their own and which become part of their readers.
#pragma once

#include "base/target.h"
#include "schedule/attempt.h"

namespace lathe::topi {

/// Producers into consumers where that repeats no real work. Asks for "place".
void inlineProducers(schedule::Schedule& schedule, const Target& target, std::vector<schedule::Refusal>& refusals);

} // namespace lathe::topi
