// SPDX-License-Identifier: Apache-2.0
//
// What a nest asks of a machine: instructions of vectors, registers, bytes that each cache has to be given, pieces that
// threads can take. Nothing here is a time yet.
#pragma once

#include "base/machine_model.h"
#include "tune/nests.h"

namespace lathe::tune {

struct NestCost {
    // The register tile: the loops that are unrolled or vectorized.
    double lanesUsed = 1;    // of the lanes of the vectors that are computed
    double accumulators = 0; // vectors that stay in registers from one iteration around the tile to the next
    double operands = 0;     // vectors beside them
    double chains = 16;      // results that do not wait for each other; more keep no unit busier

    // Instructions of the whole nest.
    double arithmetic = 0, heavy = 0; // heavy: divisions and functions, in units of arithmetic
    double loads = 0, stores = 0, gathers = 0;
    double bodies = 0; // executions of the tile: each has a jump

    std::array<double, 3> traffic{}; // bytes that come from behind L1, L2, L3
    double chunks = 1;               // pieces of its parallel region

    double excess(const MachineModel& machine) const { // vectors that do not fit into the registers
        return std::max(accumulators + operands - machine.target.vectorRegisters, 0.0);
    }
    double units() const { return arithmetic + heavy + loads + stores + gathers; }
};

/// Of all nests of a function, which share its caches and its parallel regions.
std::vector<NestCost> costsOf(const std::vector<Nest>& nests, const MachineModel& machine);

/// Bytes of all buffers that are touched, in whole lines.
double footprintOf(const std::vector<Nest>& nests);

} // namespace lathe::tune
