// SPDX-License-Identifier: GPL-3.0-or-later
//
// How much each question matters for the time: what share of the variance of the logarithm of the ratio its answers explain,
// by an analysis of variance in one way. It is the correlation ratio, less what as many groups would explain by chance
// (epsilon squared; T. L. Kelley, "An unbiased correlation ratio measure", PNAS 21, 1935):
//   1 - (within / (trials - answers)) / (total / (trials - 1)), 0 if that is below it,
// with the sums of squares within the answers and in total. It says what was seen among the trials that were made, which a
// search has chosen; questions that go together explain the same, so shares need not add up to 1.
#pragma once

#include "views/models/tuning/trial_set.h"

#include <span>

namespace lathe::views::models {

inline constexpr size_t mostAnalysed = 20'000;

struct AnswerSpread {
    int answer = 0;                                            // in TrialSet::Question::answers
    size_t count = 0;                                          // trials that have it and a time
    double least = 0, low = 0, middle = 0, high = 0, most = 0; // of the ratio: quartiles between the ends
    std::vector<int> trials;                                   // that are drawn as points: all, or every so many-th
};

struct QuestionImportance {
    size_t question = 0;
    double share = 0;                  // 0 … 1
    size_t trials = 0;                 // that it rests on
    std::vector<AnswerSpread> answers; // in their order
};

/// Of those trials that have a time, of each question that has more than one answer among them; the most important first.
/// Of more than `mostAnalysed` it takes every so many-th. At most so many trials of an answer are given as points.
std::vector<QuestionImportance> importanceOf(const TrialSet& trials, std::span<const int> among, size_t points = 200);

/// The same, a question at a time, for who may not stop for all. Trials may come in meanwhile: it is of those of the beginning.
class ImportanceMaker {
public:
    ImportanceMaker(const TrialSet& trials, std::span<const int> among, size_t points = 200);
    /// Does a part of it; false: all was done.
    bool step();
    std::vector<QuestionImportance> take() { return std::move(result_); }

private:
    struct Timed {
        int trial;
        double ratio, log;
    };
    void order();
    void add(size_t question);

    const TrialSet& trials_;
    size_t points_;
    std::vector<Timed> timed_;
    std::vector<size_t> byRatio_; // places in timed_, the fastest first; empty: not ordered yet
    size_t question_ = 0;         // the next one
    std::vector<QuestionImportance> result_;
};

/// The share for values in groups; 0 where there are no two groups, no more values than groups, or all values are alike.
double explainedShare(std::span<const std::vector<double>> groups);

} // namespace lathe::views::models
