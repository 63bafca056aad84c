// SPDX-License-Identifier: Apache-2.0
//
// Traffic: the outermost loop whose data fits into a level brings it there once; one iteration of the loop around it finds
// what the one before left, so that loop's distinct lines come from behind the level, each time that it runs.
#include "tune/nest_cost.h"

#include "base/cache_lines.h"
#include "tir/transform/parallel_regions.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lathe::tune {
namespace {

constexpr std::array usable = {7.0 / 8, 3.0 / 4, 1.0}; // of a cache: the rest holds what else is in use
constexpr double mostChains = 16;

bool isTile(const Loop& loop) {
    return loop.kind == tir::ForKind::Unrolled || loop.kind == tir::ForKind::Vectorized;
}

class Costing {
public:
    Costing(const Nest& nest, const MachineModel& machine, double footprint)
        : nest_(nest), machine_(machine), footprint_(footprint) {
        const double lanes = machine.lanes(nest.bits), vector = nest.extentOf(tir::ForKind::Vectorized);
        vectors_ = std::ceil(vector / lanes);
        isVector_ = vector > 1;
        cost_.lanesUsed = isVector_ ? vector / (vectors_ * lanes) : 1 / lanes;
    }

    NestCost run() {
        findTile();
        countInstructions();
        for (size_t level = 0; level < usable.size(); ++level)
            cost_.traffic[level] = nest_.share * trafficPast(machine_.cacheBytes(level) * usable[level]);
        return cost_;
    }

private:
    /// A local buffer that only the tile's loops go through: its elements are registers.
    bool inRegisters(const Access& access) const {
        if (!access.isLocal() || !access.regular)
            return false;
        for (size_t i = 0; i < nest_.loops.size(); ++i)
            if (access.strides[i] != 0 && !isTile(nest_.loops[i]))
                return false;
        return true;
    }

    bool isGather(const Access& access) const {
        for (size_t i = 0; i < nest_.loops.size(); ++i)
            if (nest_.loops[i].kind == tir::ForKind::Vectorized && std::abs(access.strides[i]) > 1)
                return true;
        return isVector_ && !access.regular;
    }
    bool isWide(const Access& access) const {
        for (size_t i = 0; i < nest_.loops.size(); ++i)
            if (nest_.loops[i].kind == tir::ForKind::Vectorized && access.strides[i] != 0)
                return true;
        return false;
    }

    /// How many vectors (of a gather: elements) of it an iteration around the tile takes.
    double vectorsInTile(const Access& access) const {
        double count = 1;
        for (size_t i = 0; i < nest_.loops.size(); ++i)
            if (nest_.loops[i].kind == tir::ForKind::Unrolled && (access.strides[i] != 0 || !access.regular))
                count *= nest_.loops[i].extent;
        if (isGather(access))
            return count * nest_.extentOf(tir::ForKind::Vectorized);
        return isWide(access) ? count * vectors_ : count;
    }

    /// How often the loops around the tile make it be read: not again in loops that it does not move with.
    double timesRead(const Access& access) const {
        double times = nest_.share, later = 1;
        for (size_t i = 0; i < nest_.loops.size(); ++i) {
            if (isTile(nest_.loops[i]))
                continue;
            later *= nest_.loops[i].extent;
            if (access.strides[i] != 0 || !access.regular)
                times *= std::exchange(later, 1);
        }
        return times;
    }

    void findTile() {
        if (nest_.accumulates()) {
            const Access& result = nest_.accesses.front();
            const auto around =
                std::find_if(nest_.loops.rbegin(), nest_.loops.rend(), [](const Loop& loop) { return !isTile(loop); });
            const auto index = nest_.loops.rend() - around - 1;
            if (around != nest_.loops.rend() && result.strides[static_cast<size_t>(index)] == 0) {
                cost_.accumulators = vectorsInTile(result);
                cost_.chains = std::min(cost_.accumulators, mostChains);
            }
        }
        bool narrow = false;
        for (const Access& access : nest_.accesses) {
            if (access.writes)
                continue;
            if (isWide(access))
                cost_.operands += vectors_;
            else
                narrow = true;
        }
        cost_.operands += narrow;
    }

    void countInstructions() {
        cost_.bodies = nest_.share;
        double inTile = vectors_;
        for (const Loop& loop : nest_.loops)
            if (!isTile(loop))
                cost_.bodies *= loop.extent;
            else if (loop.kind == tir::ForKind::Unrolled)
                inTile *= loop.extent;
        const double groups = cost_.bodies * inTile;
        const Operations& each = nest_.operations;
        cost_.arithmetic = groups * (each.fused + each.added + each.product + each.logic + each.integer + each.cast);
        cost_.heavy = groups * (machine_.callUnits * each.call + machine_.divisionUnits * each.division);
        for (const Access& access : nest_.accesses) {
            if (inRegisters(access))
                continue;
            const double vectors = vectorsInTile(access);
            double& loads = isGather(access) ? cost_.gathers : cost_.loads;
            if (access.reads)
                loads += vectors * (access.writes ? cost_.bodies : timesRead(access));
            if (access.writes)
                (isGather(access) ? cost_.gathers : cost_.stores) += vectors * cost_.bodies;
        }
    }

    double bytesFrom(size_t depth) const {
        double bytes = 0;
        for (const Access& access : nest_.accesses)
            if (!inRegisters(access))
                bytes += access.inside[depth].lines * lineBytes;
        return bytes;
    }

    double trafficPast(double capacity) const {
        size_t fits = 0;
        while (fits < nest_.loops.size() && bytesFrom(fits) > capacity)
            ++fits;
        if (fits == 0)
            return footprint_ <= capacity ? 0 : bytesFrom(0);
        double times = 1;
        for (size_t i = 0; i + 1 < fits; ++i)
            times *= nest_.loops[i].extent;
        return times * bytesFrom(fits - 1);
    }

    const Nest& nest_;
    const MachineModel& machine_;
    double footprint_, vectors_ = 1;
    bool isVector_ = false;
    NestCost cost_;
};

/// How often the nest's region begins, and its loop; one of one iteration where it is in none.
std::pair<double, Loop> regionOf(const Nest& nest) {
    double begins = 1;
    for (const Loop& loop : nest.loops) {
        if (loop.kind == tir::ForKind::Parallel)
            return {begins, loop};
        begins *= loop.extent;
    }
    return {begins, Loop{}};
}

} // namespace

double footprintOf(const std::vector<Nest>& nests) {
    std::map<const tir::Buffer*, double> bytes;
    for (const Nest& nest : nests)
        for (const Access& access : nest.accesses)
            if (!access.isLocal()) {
                double& most = bytes[access.buffer.get()];
                most = std::max(most, access.inside.front().lines * lineBytes);
            }
    double all = 0;
    for (const auto& [buffer, most] : bytes)
        all += most;
    return all;
}

std::vector<NestCost> costsOf(const std::vector<Nest>& nests, const MachineModel& machine) {
    const double footprint = footprintOf(nests);
    std::vector<NestCost> costs;
    std::map<int, double> units; // of each time that a region runs
    for (const Nest& nest : nests) {
        costs.push_back(Costing(nest, machine, footprint).run());
        units[nest.region] += costs.back().units() / regionOf(nest).first;
    }
    for (size_t i = 0; i < nests.size(); ++i) {
        if (nests[i].region < 0)
            continue;
        const Loop region = regionOf(nests[i]).second;
        const double worth = std::floor(units[nests[i].region] / region.grain);
        const double most = std::min(static_cast<double>(tir::parallelChunks), region.extent);
        costs[i].chunks = std::clamp(worth, 1.0, std::max(most, 1.0));
    }
    return costs;
}

} // namespace lathe::tune
