// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/answer_importance.h"

#include <algorithm>

namespace lathe::views::models {
namespace {

/// Of sorted values, between the two that are next to it.
double quantile(const std::vector<double>& sorted, double share) {
    const double at = share * double(sorted.size() - 1);
    const auto below = size_t(at);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

AnswerSpread spreadOf(const TrialSet& trials, int answer, const std::vector<int>& having, size_t points) {
    AnswerSpread spread;
    spread.answer = answer;
    spread.count = having.size();
    std::vector<double> ratios;
    for (const int trial : having)
        ratios.push_back(trials[size_t(trial)].ratio);
    std::ranges::sort(ratios);
    spread.least = ratios.front();
    spread.low = quantile(ratios, 0.25);
    spread.middle = quantile(ratios, 0.5);
    spread.high = quantile(ratios, 0.75);
    spread.most = ratios.back();
    const size_t step = (having.size() + points - 1) / std::max(points, size_t{1});
    for (size_t i = 0; i < having.size() && points > 0; i += step)
        spread.trials.push_back(having[i]);
    return spread;
}

} // namespace

double explainedShare(std::span<const std::vector<double>> groups) {
    double all = 0;
    size_t count = 0, used = 0;
    for (const std::vector<double>& group : groups) {
        for (const double value : group)
            all += value;
        count += group.size();
        used += !group.empty();
    }
    if (used < 2 || count <= used)
        return 0;
    const double mean = all / double(count);
    double within = 0, total = 0;
    for (const std::vector<double>& group : groups) {
        double own = 0;
        for (const double value : group)
            own += value;
        own /= double(std::max(group.size(), size_t{1}));
        for (const double value : group) {
            within += (value - own) * (value - own);
            total += (value - mean) * (value - mean);
        }
    }
    constexpr double alike = 1e-20; // what is left of equal values when their mean is taken away
    if (!(total > alike * double(count)))
        return 0;
    return std::max(0.0, 1 - (within / double(count - used)) / (total / double(count - 1)));
}

std::vector<QuestionImportance> importanceOf(const TrialSet& trials, std::span<const int> among, size_t points) {
    std::vector<QuestionImportance> result;
    const size_t step = (among.size() + mostAnalysed - 1) / mostAnalysed;
    std::vector<int> timed;
    for (size_t i = 0; i < among.size(); i += step)
        if (trials[size_t(among[i])].ratio > 0)
            timed.push_back(among[i]);
    for (size_t q = 0; q < trials.questions().size(); ++q) {
        const TrialSet::Question& question = trials.questions()[q];
        std::vector<std::vector<int>> having(question.answers.size());
        for (const int trial : timed)
            if (question.ofRow[size_t(trial)] >= 0)
                having[size_t(question.ofRow[size_t(trial)])].push_back(trial);
        QuestionImportance importance{q, 0, 0, {}};
        std::vector<std::vector<double>> logs;
        for (const int answer : question.ordered()) {
            const std::vector<int>& with = having[size_t(answer)];
            if (with.empty())
                continue;
            std::vector<double>& group = logs.emplace_back();
            for (const int trial : with)
                group.push_back(std::log(trials[size_t(trial)].ratio));
            importance.trials += with.size();
            importance.answers.push_back(spreadOf(trials, answer, with, points));
        }
        if (logs.size() < 2)
            continue;
        importance.share = explainedShare(logs);
        result.push_back(std::move(importance));
    }
    std::ranges::stable_sort(result, std::ranges::greater(), &QuestionImportance::share);
    return result;
}

} // namespace lathe::views::models
