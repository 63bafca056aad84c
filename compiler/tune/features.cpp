// SPDX-License-Identifier: Apache-2.0
//
// The groups follow those of Ansor (Zheng et al., OSDI 2020, appendix B): arithmetic, loops, buffers with how they are
// reused, the curve of arithmetic intensity; to them come what Adams et al. (SIGGRAPH 2019) count: vectors, registers, bytes
// past each cache, the balance of threads.
#include "tune/features.h"

#include "base/cache_lines.h"
#include "tune/prior.h"

#include <algorithm>
#include <cmath>

namespace lathe::tune {
namespace {

constexpr size_t buffersShown = 5, intensities = 10;

double slog(double x) {
    return std::log2(1 + std::abs(x));
}

/// Columns and their values, side by side.
class FeatureRow {
public:
    void add(const std::string& name, double value) {
        names.push_back(name);
        values.push_back(static_cast<float>(value));
    }
    void addLog(const std::string& name, double value) { add(name, slog(value)); }

    std::vector<std::string> names;
    std::vector<float> values;
};

void addArithmetic(FeatureRow& row, const std::string& group, const std::vector<Nest>& nests) {
    Operations all;
    double flops = 0, stores = 0;
    for (const Nest& nest : nests) {
        const double times = nest.iterations();
        const auto sum = [&](double Operations::* count) { all.*count += times * nest.operations.*count; };
        for (const auto count : {&Operations::fused, &Operations::added, &Operations::product, &Operations::division,
                                 &Operations::call, &Operations::logic, &Operations::integer, &Operations::cast})
            sum(count);
        flops += times * nest.operations.flops();
        stores += times;
    }
    row.addLog(group + ".flops", flops);
    row.addLog(group + ".fused", all.fused);
    row.addLog(group + ".added", all.added);
    row.addLog(group + ".product", all.product);
    row.addLog(group + ".division", all.division);
    row.addLog(group + ".call", all.call);
    row.addLog(group + ".logic", all.logic);
    row.addLog(group + ".integer", all.integer);
    row.addLog(group + ".cast", all.cast);
    row.addLog(group + ".stores", stores);
}

void addLoops(FeatureRow& row, const Nest& nest) {
    for (const auto& [name, kind] :
         {std::pair{"serial", tir::ForKind::Serial}, std::pair{"parallel", tir::ForKind::Parallel},
          std::pair{"vectorized", tir::ForKind::Vectorized}, std::pair{"unrolled", tir::ForKind::Unrolled}}) {
        row.addLog(std::string("loops.") + name, nest.extentOf(kind));
        row.add(std::string("loops.") + name + "Number",
                static_cast<double>(std::ranges::count(nest.loops, kind, &Loop::kind)));
        const auto last = std::ranges::find(nest.loops.rbegin(), nest.loops.rend(), kind, &Loop::kind);
        row.addLog(std::string("loops.") + name + "Inner", last == nest.loops.rend() ? 0 : last->extent);
    }
    row.add("loops.share", nest.share);
}

/// How an access meets the same memory again.
struct Reuse {
    double times = 0;                 // iterations of the innermost loop that does not move it; 0: all do
    double iterations = 0, bytes = 0; // of the loops inside of that one: between two uses
};

Reuse reuseOf(const Nest& nest, const Access& access) {
    double iterations = 1;
    for (size_t i = nest.loops.size(); i-- > 0;) {
        if (access.regular && access.strides[i] == 0 && nest.loops[i].extent > 1) {
            double bytes = 0;
            for (const Access& each : nest.accesses)
                bytes += each.inside[i + 1].elements * each.bytes();
            return {nest.loops[i].extent, iterations, bytes};
        }
        iterations *= nest.loops[i].extent;
    }
    return {};
}

void addAccess(FeatureRow& row, const std::string& name, const Nest& nest, const Access* access) {
    const auto add = [&](const char* column, double value) { row.addLog(name + column, value); };
    const Reuse reuse = access ? reuseOf(nest, *access) : Reuse{};
    int64_t stride = 0; // of the innermost loop that moves it
    for (size_t i = 0; access && i < nest.loops.size(); ++i)
        if (access->strides[i] != 0)
            stride = access->strides[i];
    add(".accessedBytes", access ? nest.iterations() * access->bytes() : 0);
    add(".bytes", access ? access->inside.front().elements * access->bytes() : 0);
    add(".lines", access ? access->inside.front().lines : 0);
    add(".bytesABlock", access ? access->inside[nest.loops.size() / 2].elements * access->bytes() : 0);
    add(".stride", static_cast<double>(stride));
    add(".innerStride", access && !nest.loops.empty() ? static_cast<double>(access->strides.back()) : 0);
    add(".reuse", reuse.times);
    add(".reuseIterations", reuse.iterations);
    add(".reuseBytes", reuse.bytes);
    row.add(name + ".irregular", access && !access->regular);
    row.add(name + ".local", access && access->isLocal());
    // Of rows that lie whole pages apart, or nearly, a first cache holds few (base/cache_lines.h).
    const bool aliases = access && std::ranges::any_of(access->strides, [&](int64_t each) {
                             const auto apart = static_cast<double>(std::abs(each)) * access->bytes();
                             return apart >= pageBytes && std::fmod(apart, pageBytes) < 4 * lineBytes;
                         });
    row.add(name + ".aliases", aliases);
}

void addAccesses(FeatureRow& row, const Nest& nest) {
    std::vector<const Access*> reads;
    for (const Access& access : nest.accesses)
        if (!access.writes)
            reads.push_back(&access);
    std::ranges::stable_sort(reads, std::ranges::greater(),
                             [](const Access* access) { return access->inside.front().lines; });
    const bool writes = !nest.accesses.empty() && nest.accesses.front().writes;
    row.add("accumulates", nest.accumulates());
    addAccess(row, "written", nest, writes ? &nest.accesses.front() : nullptr);
    for (size_t i = 0; i + 1 < buffersShown; ++i)
        addAccess(row, "read" + std::to_string(i + 1), nest, i < reads.size() ? reads[i] : nullptr);
}

/// FLOPs a byte of the innermost loops, with as many loops around as make a tenth, two tenths, … of all the work.
void addIntensities(FeatureRow& row, const Nest& nest) {
    std::vector<double> work, intensity; // logarithms, of the loops from the innermost on
    double iterations = 1;
    for (size_t d = nest.loops.size() + 1; d-- > 0;) {
        if (d < nest.loops.size())
            iterations *= nest.loops[d].extent;
        double bytes = 0;
        for (const Access& access : nest.accesses)
            bytes += access.inside[d].elements * access.bytes();
        work.push_back(slog(iterations));
        intensity.push_back(slog(iterations * nest.operations.flops() / std::max(bytes, 1.0)));
    }
    for (size_t i = 1; i <= intensities; ++i) {
        const double at = work.empty() ? 0 : work.back() * static_cast<double>(i) / intensities;
        const auto above = static_cast<size_t>(std::ranges::lower_bound(work, at) - work.begin());
        double value = intensity.empty() ? 0 : intensity[std::min(above, intensity.size() - 1)];
        if (above > 0 && above < work.size() && work[above] > work[above - 1]) {
            const double part = (at - work[above - 1]) / (work[above] - work[above - 1]);
            value = intensity[above - 1] + part * (intensity[above] - intensity[above - 1]);
        }
        row.add("intensity" + std::to_string(i), value);
    }
}

void addCost(FeatureRow& row, const std::string& group, const NestCost& cost, const MachineModel& machine) {
    const auto add = [&](const char* name, double value) { row.add(group + name, value); };
    const auto addLog = [&](const char* name, double value) { row.addLog(group + name, value); };
    const double held = cost.accumulators + cost.operands;
    addLog(".arithmetic", cost.arithmetic);
    addLog(".heavy", cost.heavy);
    addLog(".loads", cost.loads);
    addLog(".stores", cost.stores);
    addLog(".gathers", cost.gathers);
    addLog(".bodies", cost.bodies);
    addLog(".unitsABody", cost.units() / std::max(cost.bodies, 1.0));
    add(".lanesUsed", cost.lanesUsed);
    addLog(".accumulators", cost.accumulators);
    addLog(".operands", cost.operands);
    add(".registers", held / machine.target.vectorRegisters);
    addLog(".excess", cost.excess(machine));
    add(".chains", cost.chains);
    add(".arithmeticALoad", cost.arithmetic / std::max(cost.loads, 1.0));
    addLog(".behindL1", cost.traffic[0]);
    addLog(".behindL2", cost.traffic[1]);
    addLog(".behindL3", cost.traffic[2]);
    add(".unitsAByteBehindL1", slog(cost.units() / std::max(cost.traffic[0], 1.0)));
    const double rounds = std::ceil(cost.chunks / machine.threads);
    addLog(".chunks", cost.chunks);
    add(".busy", cost.chunks / (rounds * machine.threads));
    addLog(".unitsAChunk", cost.units() / cost.chunks);
}

NestCost sumOf(const std::vector<NestCost>& costs) {
    NestCost sum;
    for (const NestCost& cost : costs) {
        for (const auto part : {&NestCost::arithmetic, &NestCost::heavy, &NestCost::loads, &NestCost::stores,
                                &NestCost::gathers, &NestCost::bodies})
            sum.*part += cost.*part;
        for (size_t level = 0; level < sum.traffic.size(); ++level)
            sum.traffic[level] += cost.traffic[level];
    }
    return sum;
}

FeatureRow rowOf(const std::vector<Nest>& nests, const std::vector<NestCost>& costs, const MachineModel& machine,
                 double prior) {
    size_t main = 0;
    for (size_t i = 1; i < nests.size(); ++i)
        if (nestUs(costs[i], machine) > nestUs(costs[main], machine))
            main = i;
    const Nest nest = nests.empty() ? Nest{} : nests[main];
    const NestCost cost = nests.empty() ? NestCost{} : costs[main];
    const NestCost sum = sumOf(costs);
    FeatureRow row;
    row.add("prior", std::log2(std::max(prior, 1e-6)));
    row.add("all.nests", static_cast<double>(nests.size()));
    row.addLog("all.bytes", footprintOf(nests));
    addArithmetic(row, "all", nests);
    row.addLog("all.units", sum.units());
    row.addLog("all.heavy", sum.heavy);
    row.addLog("all.gathers", sum.gathers);
    row.addLog("all.bodies", sum.bodies);
    row.addLog("all.behindL1", sum.traffic[0]);
    row.addLog("all.behindL2", sum.traffic[1]);
    row.add("main.share", nests.empty() ? 0 : nestUs(cost, machine) / std::max(prior, 1e-6));
    addArithmetic(row, "main", nests.empty() ? std::vector<Nest>{} : std::vector{nest});
    addLoops(row, nest);
    addCost(row, "asked", cost, machine);
    addAccesses(row, nest);
    addIntensities(row, nest);
    return row;
}

} // namespace

Features featuresOf(const std::vector<Nest>& nests, const MachineModel& machine) {
    const std::vector<NestCost> costs = costsOf(nests, machine);
    Features features;
    features.priorUs = tune::priorUs(nests, costs, machine);
    features.row = rowOf(nests, costs, machine, features.priorUs).values;
    return features;
}

const std::vector<std::string>& featureNames() {
    static const std::vector<std::string> names = rowOf({}, {}, {}, 0).names;
    return names;
}

} // namespace lathe::tune
