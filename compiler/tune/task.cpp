// SPDX-License-Identifier: Apache-2.0
#include "tune/task.h"

#include "tune/paired.h"

#include <algorithm>

namespace lathe::tune {
namespace {

constexpr double recentShare = 0.2; // Ansor's alpha
constexpr size_t recentRounds = 3;

} // namespace

double defaultUsOf(std::span<const Trial> trials) {
    std::map<int, std::vector<double>> batches; // the default's of its first one
    for (const Trial& trial : trials)
        // What a paired test accepted has that one's ratio, and a time of before.
        if (trial.verdict == Verdict::Measured && !trial.accepted && trial.ratio.middle > 0)
            batches[std::max(trial.round, 1)].push_back(trial.us / trial.ratio.middle);
    std::vector<double> medians;
    for (const auto& [round, times] : batches)
        medians.push_back(medianInterval(times).middle);
    return medianInterval(medians).middle;
}

double expectedGain(const TaskState& state) {
    const double roundSeconds = std::max(state.seconds / std::max(state.rounds, 1), 1e-3);
    const size_t recent = std::min(state.gains.size(), recentRounds);
    double gained = 0;
    for (size_t i = state.gains.size() - recent; i < state.gains.size(); ++i)
        gained += state.gains[i];
    const double pace = recent == 0 ? 0 : gained / (static_cast<double>(recent) * roundSeconds);
    const double hope = state.bestUs() / std::max(state.seconds, 1e-3);
    const double left = std::max(state.bestUs() - state.task.floorUs, 0.0) / roundSeconds;
    return state.task.calls * std::min(std::max(recentShare * pace, (1 - recentShare) * hope), left);
}

std::vector<std::vector<int64_t>> Task::allSizes() const {
    std::vector<std::vector<int64_t>> all{sizes};
    all.insert(all.end(), otherSizes.begin(), otherSizes.end());
    return all;
}

const char* toString(Done done) {
    switch (done) {
    case Done::No:
        return "";
    case Done::Exhausted:
        return "all tried";
    case Done::Settled:
        return "no more gains";
    }
    return "";
}

std::optional<size_t> nextTask(const std::vector<TaskState>& tasks) {
    std::optional<size_t> best;
    std::pair<bool, double> most;
    for (size_t i = 0; i < tasks.size(); ++i) {
        const TaskState& state = tasks[i];
        if (state.done != Done::No || state.wish != Wish::Go)
            continue;
        const bool fresh = state.rounds == 0 && !state.isUntimed;
        const std::pair<bool, double> worth{fresh, fresh ? state.priority * state.task.calls * state.defaultUs()
                                                         : state.priority * expectedGain(state)};
        if (!best || worth > most) {
            best = i;
            most = worth;
        }
    }
    return best;
}

} // namespace lathe::tune
