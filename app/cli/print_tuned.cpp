// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print_tuned.h"

#include "app/cli/print_line.h"
#include "base/counted.h"
#include "base/json.h"
#include "tune/resume.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::cli {
namespace {

/// Why the model does not have a schedule that its task found.
const char* whyNot(tune::InPlace inPlace) {
    switch (inPlace) {
    case tune::InPlace::Unknown:
        return "not confirmed in the whole model";
    case tune::InPlace::Kept: // before layouts and fusion made others
        return "the kernel is not in the model any more";
    case tune::InPlace::TakenBack:
        return "not faster in the model";
    }
    return "";
}

/// Why the model does not have the fastest that the task found; empty: it does.
std::string whyNot(const tuning::Tuned& tuned, const tune::TaskState& state) {
    if (state.trials.empty())
        return "not looked at: the search ended before";
    const tune::Trial& first = state.trials.front();
    if (first.verdict != tune::Verdict::Measured)
        return fmt::format("its default cannot be measured: {}{}{}", tune::toString(first.verdict),
                           first.message.empty() ? "" : ", ", first.message);
    if (state.best > 0) {
        const tune::Trial &best = state.trials[state.best], *applied = tuned.applied(state);
        if (applied == &best)
            return {};
        return fmt::format("{}{}", whyNot(best.inPlace), applied ? "; a slower one is applied" : "");
    }
    return state.trials.size() == 1 ? "nothing else was tried" : "nothing is faster by enough";
}

std::string list(const std::map<tune::Verdict, int64_t>& verdicts) {
    std::string text;
    for (const auto& [verdict, count] : verdicts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, tune::toString(verdict));
    return text.empty() ? "none" : text;
}

/// Per cent of time that is saved: the median, and the interval that holds it.
std::string gainOf(const tune::TaskState& state) {
    if (state.best == 0)
        return "";
    const tune::Interval& ratio = state.trials[state.best].ratio;
    const auto saved = [](double of) { return 100 * (1 - of); };
    return fmt::format("{:.1f}% ({:.1f} to {:.1f})", saved(ratio.middle), saved(ratio.high), saved(ratio.low));
}

bool isFaster(const tuning::RunByTurns& whole) {
    return whole.differs && whole.afterMs.middle < whole.beforeMs.middle;
}

/// Milliseconds of a run: the median, and what half of the runs took.
std::string runs(const tune::Interval& ms) {
    return fmt::format("{:.3f} ({:.3f} to {:.3f})", ms.middle, ms.low, ms.high);
}

nlohmann::json toJson(const tuning::TunedGraph& graph) {
    const tuning::ChosenByCosts& layouts = graph.layouts;
    const tuning::CutGroups& fusion = graph.fusion;
    return {{"event", "choices"},
            {"layouts",
             {{"sites", layouts.sites},
              {"changed", layouts.changed},
              {"measured", layouts.measured},
              {"planned", layouts.planned},
              {"optimal", layouts.optimal},
              {"start_ms", layouts.startMs},
              {"predicted_ms", layouts.predictedMs},
              {"measured_ms", layouts.measuredMs},
              {"message", layouts.message}}},
            {"fusion",
             {{"groups", fusion.groups},
              {"cut", fusion.cut},
              {"measured", fusion.measured},
              {"planned", fusion.planned},
              {"start_ms", fusion.startMs},
              {"predicted_ms", fusion.predictedMs},
              {"measured_ms", fusion.measuredMs},
              {"message", fusion.message}}},
            {"schedules", {{"message", graph.noNewSchedules}}},
            {"schedules_ms", graph.schedulesMs},
            {"whole_ms", graph.wholeMs},
            {"taken", graph.isTaken}};
}

constexpr size_t reasonsSaid = 5;

/// The commonest reasons why candidates were not built.
void printRefused(const std::map<std::string, int64_t>& refused) {
    std::vector<std::pair<int64_t, std::string>> reasons;
    for (const auto& [reason, count] : refused)
        reasons.emplace_back(count, reason);
    std::ranges::sort(reasons, std::ranges::greater());
    for (size_t i = 0; i < std::min(reasons.size(), reasonsSaid); ++i)
        printLine("not built: {} times, {}", reasons[i].first, reasons[i].second);
}

} // namespace

std::map<tune::Verdict, int64_t> verdictsOf(const tune::TaskState& state) {
    std::map<tune::Verdict, int64_t> counts;
    for (size_t i = std::max<size_t>(state.known, 1); i < state.trials.size(); ++i)
        ++counts[state.trials[i].verdict];
    return counts;
}

std::map<tune::Verdict, int64_t> verdictsOf(const tune::Study& study) {
    std::map<tune::Verdict, int64_t> counts;
    for (const tune::TaskState& state : study.tasks)
        for (const auto& [verdict, count] : verdictsOf(state))
            counts[verdict] += count;
    return counts;
}

void printTunedJson(const tuning::Tuned& tuned) {
    for (const tune::TaskState& state : tuned.study.tasks) {
        nlohmann::json verdicts = nlohmann::json::object();
        for (const auto& [verdict, count] : verdictsOf(state))
            verdicts[tune::toString(verdict)] = count;
        const std::string why = whyNot(tuned, state);
        const tune::Interval ratio = state.best > 0 ? state.trials[state.best].ratio : tune::Interval{1, 1, 1};
        fmt::print("{}\n", dump({{"event", "task"},
                                 {"workload", state.task.workload},
                                 {"kernel", state.task.kernel},
                                 {"calls", state.task.calls},
                                 {"trials", state.trials.size()},
                                 {"verdicts", std::move(verdicts)},
                                 {"default_us", state.defaultUs()},
                                 {"best_us", state.bestUs()},
                                 {"ratio", {ratio.low, ratio.middle, ratio.high}},
                                 {"floor_us", state.task.floorUs},
                                 {"done", tune::toString(state.done)},
                                 {"applied", why.empty()},
                                 {"why_not", why},
                                 {"taken_back",
                                  state.best > 0 && state.trials[state.best].inPlace == tune::InPlace::TakenBack}}));
    }
    if (tuned.graph)
        fmt::print("{}\n", dump(toJson(*tuned.graph)));
    const tuning::RunByTurns whole = tuned.whole.value_or(tuning::RunByTurns());
    fmt::print("{}\n", dump({{"event", "model"},
                             {"untuned_ms", tuned.untunedMs},
                             {"drawn_inputs", tuned.drawn},
                             {"seconds", tuned.study.seconds},
                             {"trials", tuned.study.trials},
                             {"nothing_left", tuning::hadNothingLeft(tuned.study)},
                             {"before_ms", whole.beforeMs.middle},
                             {"before_half_ms", {whole.beforeMs.low, whole.beforeMs.high}},
                             {"after_ms", whole.afterMs.middle},
                             {"after_half_ms", {whole.afterMs.low, whole.afterMs.high}},
                             {"faster", isFaster(whole)},
                             {"not_timed", tuned.notTimed},
                             {"timings", tuned.study.timings.all},
                             {"disturbed", tuned.study.timings.disturbed},
                             {"problem", tuned.failed ? tuned.failed->what : std::string()},
                             {"hint", tuned.failed ? tuned.failed->hint : std::string()}}));
}

void printTuned(const tuning::Tuned& tuned, double leastGain) {
    printLine("{:44} {:>5} {:>11} {:>11}  {:22} {}", "kernel", "calls", "default us", "tuned us", "gain, 96% interval",
              "tried; applied?");
    for (const tune::TaskState& state : tuned.study.tasks) {
        const std::string why = whyNot(tuned, state);
        printLine("{:44} {:5} {:11.2f} {:11.2f}  {:22} {}; {}", state.task.kernel, state.task.calls, state.defaultUs(),
                  state.bestUs(), gainOf(state), list(verdictsOf(state)), why.empty() ? "applied" : why);
    }
    printLine("{} in {:.0f} s: {}; a schedule has to gain {:g}% to be taken",
              counted(tuned.study.trials, "trial", "trials"), tuned.study.seconds, list(verdictsOf(tuned.study)),
              leastGain);
    if (tuning::hadNothingLeft(tuned.study))
        printLine("nothing is left to try in this study: what it measured before holds; without --resume another one "
                  "begins");
    else if (!tuned.study.tasks.empty() && !tuned.failed && tuned.study.trials > 0 &&
             std::ranges::all_of(tuned.study.tasks, [](const auto& state) { return state.done != tune::Done::No; }))
        printLine(
            "the search of schedules ended by itself: of each kernel all was tried, or {} batches in a row brought "
            "no gain; --resume looks on",
            tune::settledAfter);
    std::map<std::string, int64_t> refused;
    for (const tune::TaskState& state : tuned.study.tasks)
        for (const auto& [reason, count] : state.refused)
            refused[reason] += count;
    printRefused(refused);
    if (tuned.graph)
        for (const std::string& sentence : tuning::sentencesOf(*tuned.graph))
            printLine("{}", sentence);
    if (tune::wasBusy(tuned.study.timings))
        printLine("the machine was busy in {} of {} timings: small gains could not be told",
                  tuned.study.timings.disturbed, tuned.study.timings.all);
    if (tuned.whole)
        printLine("model: {} -> {} ms, {:.2f} times as fast{}", runs(tuned.whole->beforeMs), runs(tuned.whole->afterMs),
                  tuned.whole->beforeMs.middle / tuned.whole->afterMs.middle,
                  tuned.whole->differs ? "" : ", which is within the noise");
    else if (!tuned.notTimed.empty())
        printLine("model: what was found is faster in its place, but both could not be timed once more: {}",
                  tuned.notTimed);
    else if (!tuned.failed)
        printLine("model: nothing that was tried is faster than what it has");
}

} // namespace lathe::cli
