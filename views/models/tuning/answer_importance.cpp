// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/answer_importance.h"

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

ImportanceMaker::ImportanceMaker(const TrialSet& trials, std::span<const int> among, size_t points)
    : trials_(trials), points_(points) {
    const size_t step = (among.size() + mostAnalysed - 1) / mostAnalysed;
    for (size_t i = 0; i < among.size(); i += step)
        if (const double ratio = trials[size_t(among[i])].ratio; ratio > 0)
            timed_.push_back({among[i], ratio, 0});
}

bool ImportanceMaker::step() {
    if (byRatio_.size() < timed_.size()) {
        order();
        return true;
    }
    if (question_ < trials_.questions().size()) {
        add(question_++);
        return true;
    }
    std::ranges::stable_sort(result_, std::ranges::greater(), &QuestionImportance::share);
    return false;
}

void ImportanceMaker::order() {
    std::vector<std::pair<double, size_t>> keyed;
    for (Timed& each : timed_) {
        each.log = std::log(each.ratio);
        keyed.emplace_back(each.ratio, keyed.size());
    }
    std::ranges::sort(keyed);
    for (const auto& [ratio, place] : keyed)
        byRatio_.push_back(place);
}

void ImportanceMaker::add(size_t number) {
    const TrialSet::Question& question = trials_.questions()[number];
    const auto answerOf = [&](size_t place) { return question.ofRow[size_t(timed_[place].trial)]; };
    struct Having {
        std::vector<int> trials;          // as they came
        std::vector<double> logs, ratios; // as they came; ascending
    };
    std::vector<Having> having(question.answers.size());
    for (size_t place = 0; place < timed_.size(); ++place)
        if (const int answer = answerOf(place); answer >= 0) {
            having[size_t(answer)].trials.push_back(timed_[place].trial);
            having[size_t(answer)].logs.push_back(timed_[place].log);
        }
    for (const size_t place : byRatio_)
        if (const int answer = answerOf(place); answer >= 0)
            having[size_t(answer)].ratios.push_back(timed_[place].ratio);
    QuestionImportance importance{number, 0, 0, {}};
    std::vector<std::vector<double>> logs;
    for (const int answer : question.ordered()) {
        Having& with = having[size_t(answer)];
        if (with.trials.empty())
            continue;
        const std::vector<double>& ratios = with.ratios;
        AnswerSpread& spread = importance.answers.emplace_back();
        spread = {answer,
                  ratios.size(),
                  ratios.front(),
                  quantile(ratios, 0.25),
                  quantile(ratios, 0.5),
                  quantile(ratios, 0.75),
                  ratios.back(),
                  {}};
        const size_t step = (ratios.size() + points_ - 1) / std::max(points_, size_t{1});
        for (size_t i = 0; i < ratios.size() && points_ > 0; i += step)
            spread.trials.push_back(with.trials[i]);
        importance.trials += ratios.size();
        logs.push_back(std::move(with.logs));
    }
    if (logs.size() < 2)
        return;
    importance.share = explainedShare(logs);
    result_.push_back(std::move(importance));
}

std::vector<QuestionImportance> importanceOf(const TrialSet& trials, std::span<const int> among, size_t points) {
    ImportanceMaker maker(trials, among, points);
    while (maker.step())
        ;
    return maker.take();
}

} // namespace lathe::views::models
