// SPDX-License-Identifier: Apache-2.0
//
// Throughputs are those of the large x86-64 and Arm cores of the last years: two vector units and two loads a cycle, a store,
// four instructions in all; from the second cache half a line a cycle, from the third an eighth. The shares that are left
// when registers run out are those that products reach with tiles a vector or two too large, or more.
#include "tune/prior.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace lathe::tune {
namespace {

constexpr double unitsACycle = 2, loadsACycle = 2, storesACycle = 1, gathersACycle = 0.5, instructionsACycle = 4;
constexpr double fullChains = 10; // two units and four cycles make 8, in a perfect order
constexpr double fewSpills = 2, shareOfFew = 0.75, shareOfMany = 0.5;
constexpr std::array bytesACycle = {32.0, 8.0}; // from behind L1 and L2
constexpr double regionUs = 0.4;                // to hand out work and to wait for the last piece
constexpr double jump = 2;                      // instructions that count and jump

} // namespace

double nestUs(const NestCost& cost, const Machine& machine) {
    const double spill = cost.excess(machine);
    const double shareLeft = spill <= 0 ? 1 : spill <= fewSpills ? shareOfFew : shareOfMany;
    const double computing = (cost.arithmetic / std::min(1.0, cost.chains / fullChains) + cost.heavy) / unitsACycle;
    double cycles = computing / shareLeft;
    for (const double wait : {cost.loads / loadsACycle + cost.gathers / gathersACycle, cost.stores / storesACycle,
                              (cost.units() + jump * cost.bodies) / instructionsACycle,
                              cost.traffic[0] / bytesACycle[0], cost.traffic[1] / bytesACycle[1]})
        cycles = std::max(cycles, wait);
    // The last pieces leave threads idle.
    const double rounds = std::ceil(cost.chunks / machine.threads);
    const double us = cycles / machine.gigahertz() / 1e3 * rounds / cost.chunks;
    return std::max(us, cost.traffic[2] / machine.gbs / 1e3);
}

double priorUs(const std::vector<Nest>& nests, const std::vector<NestCost>& costs, const Machine& machine) {
    double us = 0;
    std::set<int> regions;
    for (size_t i = 0; i < nests.size(); ++i) {
        us += nestUs(costs[i], machine);
        if (costs[i].chunks > 1 && regions.insert(nests[i].region).second)
            us += regionUs;
    }
    return us;
}

} // namespace lathe::tune
