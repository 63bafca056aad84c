// SPDX-License-Identifier: Apache-2.0
//
// What a scheduled function is expected to take, before anything like it was measured: a roofline with several roofs, each
// nest as slow as what it waits for most. It need not be right, only rank.
#pragma once

#include "tune/nest_cost.h"

namespace lathe::tune {

/// Microseconds of one nest on all threads that it can use.
double nestUs(const NestCost& cost, const MachineModel& machine);

/// Microseconds of a call. `costs` are those of the nests.
double priorUs(const std::vector<Nest>& nests, const std::vector<NestCost>& costs, const MachineModel& machine);

} // namespace lathe::tune
