// SPDX-License-Identifier: Apache-2.0
//
// What a core does in a cycle says the machine model. The shares that are left when registers run out are those that products
// reach with tiles a vector or two too large, or more.
#include "tune/prior.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace lathe::tune {
namespace {

constexpr double fullChains = 10; // vectorUnits and multiplyAddCycles make 8, in a perfect order
constexpr double fewSpills = 2, shareOfFew = 0.75, shareOfMany = 0.5;
constexpr double jump = 2; // instructions that count and jump

} // namespace

double nestUs(const NestCost& cost, const MachineModel& machine) {
    const double spill = cost.excess(machine);
    const double shareLeft = spill <= 0 ? 1 : spill <= fewSpills ? shareOfFew : shareOfMany;
    const double computing = (cost.arithmetic / std::min(1.0, cost.chains / fullChains) + cost.heavy) / machine.units;
    double cycles = computing / shareLeft;
    for (const double wait : {cost.loads / machine.loads + cost.gathers / machine.gathers, cost.stores / machine.stores,
                              (cost.units() + jump * cost.bodies) / machine.instructions,
                              cost.traffic[0] / machine.bytesBehind[0], cost.traffic[1] / machine.bytesBehind[1]})
        cycles = std::max(cycles, wait);
    // The last pieces leave threads idle.
    const double rounds = std::ceil(cost.chunks / machine.threads);
    const double us = cycles / machine.gigahertz() / 1e3 * rounds / cost.chunks;
    return std::max(us, cost.traffic[2] / machine.gbs / 1e3);
}

double priorUs(const std::vector<Nest>& nests, const std::vector<NestCost>& costs, const MachineModel& machine) {
    double us = 0;
    std::set<int> regions;
    for (size_t i = 0; i < nests.size(); ++i) {
        us += nestUs(costs[i], machine);
        if (costs[i].chunks > 1 && regions.insert(nests[i].region).second)
            us += machine.regionUs;
    }
    return us;
}

} // namespace lathe::tune
