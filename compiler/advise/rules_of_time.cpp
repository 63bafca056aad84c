// SPDX-License-Identifier: Apache-2.0
#include "advise/rules.h"
#include "base/counted.h"
#include "base/printable.h"
#include "inspect/layer_name.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace lathe::advise {
namespace {

/// Shares of a run from which on a user's time is well spent.
constexpr double worthTuning = 0.05, worthLooking = 0.1, worthWaiting = 0.2;
/// Of what the machine can do: what is below is slow, and what is above leaves little.
constexpr double slow = 0.25, nearPeak = 0.7;
constexpr double shortRunMs = 1; // threads cannot gain much in one that is shorter

} // namespace

std::optional<Advice> oneThread(const Facts& facts) {
    const inspect::Profile* profile = facts.known.profile;
    if (!profile || !facts.known.machine || profile->threads != 1 || facts.known.machine->cores < 2 ||
        facts.callsMs < shortRunMs)
        return std::nullopt;
    const double cores = facts.known.machine->cores;
    return Advice{.what = fmt::format("Run it on all {} cores", facts.known.machine->cores),
                  .why = fmt::format("It took {} on one thread.", milliseconds(profile->medianMs)),
                  .step = Step::Settings,
                  .ms = facts.callsMs * (1 - 1 / cores)};
}

std::optional<Advice> kernelsUntuned(const Facts& facts) {
    double ms = 0, gain = 0, least = 1, most = 0, longest = 0;
    int call = -1;
    std::set<std::string> workloads;
    for (size_t i = 0; i < facts.kernelOfRow.size(); ++i) {
        const driver::KernelRecord* kernel = facts.kernelOfRow[i];
        const std::optional<double> share = facts.machineShareOfRow[i];
        if (!kernel || !kernel->schedulable || kernel->schedule.from != lower::ScheduleFrom::Default || !share ||
            *share >= nearPeak || facts.known.tried.contains(kernel->workload))
            continue;
        const inspect::ProfileRow& row = facts.known.profile->rows[i];
        workloads.insert(kernel->workload);
        ms += row.ms;
        gain += row.ms * (1 - *share);
        least = std::min(least, *share), most = std::max(most, *share);
        if (row.ms > longest)
            longest = row.ms, call = row.call;
    }
    if (workloads.empty() || ms < worthTuning * facts.callsMs)
        return std::nullopt;
    return Advice{.what = fmt::format("Tune {}", counted(workloads.size(), "kernel", "kernels")),
                  .why = fmt::format("With schedules by default, {} of a run ({}) go at {} of what the machine can do.",
                                     milliseconds(ms), percent(ms / facts.callsMs), percentRange(least, most)),
                  .step = Step::Tune,
                  .ms = gain,
                  .call = call};
}

std::optional<Advice> dataMoved(const Facts& facts) {
    if (!facts.known.profile)
        return std::nullopt;
    double ms = 0;
    int calls = 0, largest = -1;
    for (const inspect::ProfileRow& row : facts.known.profile->rows) // the slowest first
        if (row.flops == 0) {
            largest = calls == 0 ? row.call : largest;
            ++calls;
            ms += row.ms;
        }
    if (calls == 0 || ms < worthLooking * facts.callsMs)
        return std::nullopt;
    return Advice{.what = fmt::format("See why {} data", counted(calls, "call moves", "calls move")),
                  .why = fmt::format(
                      "Without arithmetic on floats, they take {} of a run ({}). What was fused, and why the rest was "
                      "not, is said for each pair of neighbours.",
                      milliseconds(ms), percent(ms / facts.callsMs)),
                  .step = Step::Fusion,
                  .ms = ms,
                  .call = largest};
}

std::optional<Advice> scheduleRefused(const Facts& facts) {
    for (size_t i = 0; i < facts.kernelOfRow.size(); ++i) { // the slowest first
        const driver::KernelRecord* kernel = facts.kernelOfRow[i];
        const std::optional<double> share = facts.machineShareOfRow[i];
        const inspect::ProfileRow& row = facts.known.profile->rows[i];
        if (!kernel || kernel->schedule.from != lower::ScheduleFrom::Default || kernel->schedule.refusals.empty() ||
            !share || *share >= slow || row.ms < worthLooking * facts.callsMs)
            continue;
        const schedule::Refusal& refusal = kernel->schedule.refusals.front();
        return Advice{
            .what = fmt::format("Look at the loops of {}", inQuotes(inspect::layerName(facts.trace, row.call))),
            .why = fmt::format("It takes {} of a run ({}) at {} of what the machine can do. Refused when it was "
                               "scheduled: {}: {}.",
                               milliseconds(row.ms), percent(row.ms / facts.callsMs), percent(*share),
                               printable(refusal.tried), printable(refusal.reason)),
            .step = Step::Loops,
            .ms = row.ms * (1 - *share),
            .call = row.call};
    }
    return std::nullopt;
}

std::optional<Advice> threadsWait(const Facts& facts) {
    const inspect::Profile* profile = facts.known.profile;
    if (!profile || !profile->timeline || profile->timeline->threads.size() < 2 || facts.callsMs < shortRunMs)
        return std::nullopt;
    const inspect::Timeline& timeline = *profile->timeline;
    const size_t others = timeline.threads.size() - 1;
    double busy = 0;
    for (size_t thread = 1; thread <= others; ++thread)
        busy += timeline.busy(thread) / static_cast<double>(others);
    if (busy > 0.5)
        return std::nullopt;
    return Advice{.what = "See where threads wait",
                  .why =
                      fmt::format("{} worked {} of the run: kernels are too small to share, or only one thread can do "
                                  "what they do.",
                                  others == 1 ? "The second thread" : "All but the first thread", percent(busy)),
                  .step = Step::Timeline,
                  .ms = facts.callsMs * (1 - busy) * static_cast<double>(others) / static_cast<double>(others + 1)};
}

std::optional<Advice> betweenCalls(const Facts& facts) {
    constexpr double leastMs = 0.02;
    const inspect::Profile* profile = facts.known.profile;
    if (!profile)
        return std::nullopt;
    const double between = profile->medianMs - facts.callsMs;
    if (between < worthWaiting * profile->medianMs || between < leastMs)
        return std::nullopt;
    return Advice{.what = "See what stands between the kernels",
                  .why = fmt::format("{} of {} ({}) do not go into its {}: they go into what calls them, and into "
                                     "waiting for other programs.",
                                     milliseconds(between), milliseconds(profile->medianMs),
                                     percent(between / profile->medianMs),
                                     counted(profile->rows.size(), "kernel call", "kernel calls")),
                  .step = Step::Timeline,
                  .ms = between};
}

std::optional<Advice> strictNumerics(const Facts& facts) {
    if (!facts.known.profile || facts.known.options->numerics != driver::NumericsLevel::Strict ||
        facts.known.decisions->optionalLimit >= 0) // by which passes are off as well
        return std::nullopt;
    std::vector<std::string> off;
    for (const driver::PassRecord& pass : facts.trace.passes)
        if (!pass.enabled && !facts.known.decisions->skipPasses.contains(pass.name))
            off.push_back(pass.name);
    if (off.empty())
        return std::nullopt;
    return Advice{.what = "Try the default numerics",
                  .why = fmt::format("Strict ones keep each rounding of the model, so {} {} off.", fmt::join(off, ", "),
                                     off.size() == 1 ? "is" : "are"),
                  .step = Step::Settings};
}

} // namespace lathe::advise
