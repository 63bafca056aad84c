// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/predictions.h"

#include <algorithm>
#include <deque>
#include <map>

namespace lathe::views::models {
namespace {

constexpr size_t mostRandom = 64; // pairs of them are compared, each with each

/// What is slow was timed once.
tune::Interval timeOf(const TrialRow& row) {
    return std::isnan(row.low) ? tune::Interval{row.ratio, row.ratio, row.ratio}
                               : tune::Interval{row.low, row.ratio, row.high};
}

template <class Trials>
tune::Quality qualityOf(const TrialSet& trials, const Trials& of, tune::Opinion opinion) {
    std::vector<double> scores;
    std::vector<tune::Interval> times;
    for (const int trial : of) {
        const TrialRow& row = trials[size_t(trial)];
        const double score = scoreOf(row, opinion);
        if (std::isnan(score) || !row.isTimed())
            continue;
        scores.push_back(score);
        times.push_back(timeOf(row));
    }
    return tune::qualityOf(scores, times);
}

/// By round; the default has none.
std::map<int, std::vector<int>> rounds(const TrialSet& trials) {
    std::map<int, std::vector<int>> result;
    for (size_t i = 0; i < trials.size(); ++i)
        if (trials[i].round > 0)
            result[trials[i].round].push_back(int(i));
    return result;
}

} // namespace

double scoreOf(const TrialRow& row, tune::Opinion opinion) {
    switch (opinion) {
    case tune::Opinion::Prior:
        return -std::log(row.prior);
    case tune::Opinion::Model:
        return row.predicted;
    case tune::Opinion::None:
        break;
    }
    return unknown;
}

std::vector<Prediction> predictionsOf(const TrialSet& trials, tune::Opinion opinion) {
    std::vector<Prediction> result;
    for (size_t i = 0; i < trials.size(); ++i) {
        const TrialRow& row = trials[i];
        const bool isPrior = opinion == tune::Opinion::Prior;
        const Prediction prediction{int(i), isPrior ? row.prior : row.predicted, isPrior ? row.us : row.ratio};
        if (row.isTimed() && std::isfinite(prediction.expected) && prediction.measured > 0)
            result.push_back(prediction);
    }
    return result;
}

std::vector<RoundQuality> qualityByRound(const TrialSet& trials) {
    std::vector<RoundQuality> result;
    std::deque<int> random;
    for (const auto& [round, of] : rounds(trials)) {
        for (const int trial : of)
            if (trials[size_t(trial)].made == tune::Made::Random)
                random.push_back(trial);
        while (random.size() > mostRandom)
            random.pop_front();
        result.push_back({round, qualityOf(trials, of, tune::Opinion::Prior),
                          qualityOf(trials, of, tune::Opinion::Model),
                          qualityOf(trials, random, tune::Opinion::Model)});
    }
    return result;
}

std::vector<WrongPair> worstPairs(const TrialSet& trials, tune::Opinion opinion, size_t most) {
    std::vector<WrongPair> pairs;
    const auto first = [](const WrongPair& one, const WrongPair& other) {
        return std::tuple(-one.factor, one.faster, one.slower) < std::tuple(-other.factor, other.faster, other.slower);
    };
    const auto keep = [&] {
        std::ranges::sort(pairs, first);
        pairs.resize(std::min(pairs.size(), most));
    };
    for (const auto& [round, of] : rounds(trials)) {
        for (const int faster : of)
            for (const int slower : of) {
                const TrialRow &fast = trials[size_t(faster)], &slow = trials[size_t(slower)];
                if (fast.isTimed() && slow.isTimed() && timeOf(fast).high < timeOf(slow).low &&
                    scoreOf(fast, opinion) < scoreOf(slow, opinion))
                    pairs.push_back({faster, slower, round, slow.ratio / fast.ratio});
            }
        if (pairs.size() > 64 * most)
            keep();
    }
    keep();
    return pairs;
}

} // namespace lathe::views::models
