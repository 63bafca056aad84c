// SPDX-License-Identifier: Apache-2.0
//
// Initialisations of reductions: what every schedule does at its end.
#pragma once

#include "schedule/attempt.h"

namespace lathe::schedule {

/// Those that are left become blocks of their own, where that is legal: then they need no test in each step, and run if there is
/// no step at all.
void decomposeReductions(Schedule& schedule, std::vector<Refusal>& refusals);

} // namespace lathe::schedule
