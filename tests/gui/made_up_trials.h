// SPDX-License-Identifier: GPL-3.0-or-later
//
// Trials without a measurement.
#pragma once

#include "views/models/tuning/trial_set.h"

#include <random>

namespace lathe::testing {

inline Hash128 programOf(int number) {
    return {7, uint64_t(number) + 1};
}

/// Number 0 is the default: 10 µs. `parent` -1: none.
inline tune::Trial madeUpTrial(int number, double ratio, schedule::Answers answers, int parent = -1) {
    tune::Trial trial;
    trial.candidate.program = programOf(number);
    trial.candidate.answers = std::move(answers);
    trial.candidate.made = number == 0 ? tune::Made::Default : parent >= 0 ? tune::Made::Changed : tune::Made::Random;
    if (parent >= 0)
        trial.candidate.parent = programOf(parent);
    trial.us = 10 * ratio;
    trial.ratio = {ratio * 0.98, ratio, ratio * 1.02};
    trial.round = number == 0 ? 0 : 1 + (number - 1) / 16;
    trial.seconds = 0.1 * (number + 1);
    return trial;
}

inline tune::Trial failedTrial(int number, tune::Verdict verdict, const std::string& message,
                               schedule::Answers answers = {}) {
    tune::Trial trial = madeUpTrial(number, 1, std::move(answers));
    trial.verdict = verdict;
    trial.message = message;
    trial.us = 0;
    trial.ratio = {};
    return trial;
}

/// As a search leaves them: some questions matter, some do not, some trials fail; the same for the same number.
inline tune::Trial searchedTrial(int number, std::mt19937& random) {
    const auto of = [&](std::initializer_list<int64_t> candidates) {
        return std::vector<int64_t>{candidates.begin()[random() % candidates.size()]};
    };
    const bool isDefault = number == 0;
    schedule::Answers answers = {{"b0.rows", of({1, 2, 4, 6, 8, 9, 12, 14})},
                                 {"b0.width", of({1, 2, 3, 4})},
                                 {"b0.order", of({0, 1})},
                                 {"b0.row_block", of({0, 24, 48, 96, 192})},
                                 {"b0.panel_block", of({0, 2, 4, 8})},
                                 {"b0.reduce_block", of({0, 256, 512, 1024})},
                                 {"b0.reduce_unroll", of({1, 2, 4, 8})},
                                 {"b0.epilogue", of({0, 1})},
                                 {"b1.vectors", of({1, 2, 4})},
                                 {"b1.flat", of({0, 1})},
                                 {"grain", of({4, 16, 64, 256})}};
    if (isDefault)
        answers["b0.rows"] = {6};
    const auto rows = double(answers["b0.rows"][0]), width = double(answers["b0.width"][0]);
    const double spills = std::max(0.0, rows * width + width + 1 - 32);
    const double noise = double(random() % 1000) / 1000;
    const double ratio = isDefault ? 1
                                   : 0.7 + std::abs(rows - 12) * 0.05 + 0.02 * spills +
                                         0.1 * double(answers["b0.order"][0]) + 0.1 * noise;
    if (!isDefault && random() % 40 == 0)
        return failedTrial(number, random() % 2 ? tune::Verdict::Crashed : tune::Verdict::BuildError,
                           random() % 2 ? "it ended by signal 11" : "the frame is too large: 70 KiB\nat loops(3)",
                           std::move(answers));
    tune::Trial trial = madeUpTrial(number, ratio, std::move(answers), number > 20 ? int(random() % 20) : -1);
    trial.candidate.prior = 8 * (ratio + 0.3 * double(random() % 1000) / 1000);
    if (number > 32)
        trial.candidate.predicted = -ratio + 0.2 * double(random() % 1000) / 1000;
    return trial;
}

inline std::shared_ptr<views::models::TrialSet> searchedTrials(int count) {
    auto trials = std::make_shared<views::models::TrialSet>();
    std::mt19937 random(1);
    double best = 1;
    for (int i = 0; i < count; ++i) {
        tune::Trial trial = searchedTrial(i, random);
        if (i > 0 && trial.verdict == tune::Verdict::Measured && trial.ratio.middle < best * 0.98) {
            best = trial.ratio.middle;
            trial.accepted = true;
        }
        trials->add(trial);
    }
    return trials;
}

} // namespace lathe::testing
