// SPDX-License-Identifier: GPL-3.0-or-later
//
// What was thought of trials before they were tried, held against what came out: by the estimate (the prior) and by the cost
// model. All of it follows from the trials, so it is the same for a study that runs and for one of the records.
#pragma once

#include "tune/judge.h"
#include "views/models/tuning/trial_set.h"

namespace lathe::views::models {

/// The opinion's score of the trial, higher for what is expected to be faster; unknown: it had none.
double scoreOf(const TrialRow& row, tune::Opinion opinion);

struct Prediction {
    int trial = 0;
    double expected = 0; // Prior: microseconds. Model: its score, in no unit
    double measured = 0; // Prior: microseconds. Model: the ratio to the default's time
};
/// Of all trials that have both.
std::vector<Prediction> predictionsOf(const TrialSet& trials, tune::Opinion opinion);

/// tune/quality.h, of the trials of each round that were predicted and have a time: count 0 where none was.
struct RoundQuality {
    int round = 0;
    tune::Quality prior, model;
    tune::Quality random; // the model's on those drawn at random until then, the newest 64 of them
};
std::vector<RoundQuality> qualityByRound(const TrialSet& trials);

/// Two trials of one round, which one model predicted, whose times differ by more than noise and whose scores say the opposite.
struct WrongPair {
    int faster = 0, slower = 0; // as measured
    int round = 0;
    double factor = 1; // the slower one's time over the faster one's
    bool operator==(const WrongPair&) const = default;
};
/// Those with the largest factors, the largest first.
std::vector<WrongPair> worstPairs(const TrialSet& trials, tune::Opinion opinion, size_t most = 200);

} // namespace lathe::views::models
