// SPDX-License-Identifier: Apache-2.0
#include "tune/resume.h"

#include <utility>

namespace lathe::tune {

void noteRound(TaskState& state, double gain) {
    ++state.rounds;
    state.gains.push_back(gain);
    state.sinceGain = gain > 0 ? 0 : state.sinceGain + 1;
    if (state.sinceGain >= settledAfter)
        state.done = Done::Settled;
}

TaskState resumed(Task task, Explorer& explorer) {
    TaskState state;
    const Known known =
        std::exchange(task.known, {.trials = {}, .seconds = 0, .judgements = {}, .seeds = task.known.seeds});
    state.task = std::move(task);
    state.priority = known.priority;
    state.wish = known.wish;
    state.seconds = known.seconds;
    int round = 0;     // as it is known; rounds that nothing is left of are not counted
    double before = 1; // the ratio of the best, when the round began
    state.typicalUs = defaultUsOf(known.trials);
    const auto endRound = [&] {
        if (round == 0)
            return;
        noteRound(state, state.defaultUs() * (before - state.bestRatio));
        const size_t at = static_cast<size_t>(round) - 1;
        state.judgements.push_back(at < known.judgements.size() ? known.judgements[at] : Judgement());
    };
    for (const Trial& trial : known.trials) {
        auto candidate = explorer.look(trial.candidate.answers);
        const bool same = candidate && candidate->program == trial.candidate.program;
        if (state.trials.empty() && !(same && trial.verdict == Verdict::Measured && trial.us > 0))
            return state;
        if (!same)
            continue;
        explorer.know(candidate->program);
        (void)explorer.rate({&*candidate, 1}); // for what is learned from it
        candidate->made = trial.candidate.made;
        candidate->parent = trial.candidate.parent;
        candidate->predicted = trial.candidate.predicted; // as it was then
        if (trial.round != round) {
            endRound();
            round = trial.round;
            before = state.bestRatio;
        }
        Trial& again = state.trials.emplace_back(trial);
        again.candidate = std::move(*candidate);
        again.round = round == 0 ? 0 : state.rounds + 1;
        // The last to win need not be the last of its batch.
        if (again.accepted && again.ratio.middle < state.bestRatio) {
            state.best = state.trials.size() - 1;
            state.bestRatio = again.ratio.middle;
        }
    }
    endRound();
    state.known = state.trials.size();
    return state;
}

} // namespace lathe::tune
