// SPDX-License-Identifier: Apache-2.0
#include "tune/search/searches.h"

#include <algorithm>

namespace lathe::tune {
namespace {

/// Another rule is another schedule altogether: so seldom is it what changes.
constexpr uint64_t rulesOneIn = 20;

} // namespace

std::optional<schedule::Answers> changed(const Candidate& parent, std::mt19937_64& random) {
    std::vector<const schedule::Question*> open;
    for (const schedule::Question& question : parent.questions)
        if (question.candidates.size() > 1)
            open.push_back(&question);
    if (open.empty())
        return std::nullopt;
    const auto rules = std::ranges::stable_partition(
        open, [](const schedule::Question* each) { return each->kind != schedule::Question::Kind::Rule; });
    const size_t others = open.size() - rules.size();
    const bool isRule = others == 0 || (!rules.empty() && random() % rulesOneIn == 0);
    const schedule::Question& question = isRule ? *rules[random() % rules.size()] : *open[random() % others];
    schedule::Answers answers = parent.answers;
    std::vector<int64_t>& answer = answers.at(question.name);
    const auto count = question.candidates.size();
    const auto at =
        static_cast<size_t>(std::ranges::find(question.candidates, answer.front()) - question.candidates.begin());
    size_t next = random() % (count - 1);
    next += next >= at;
    if (random() % 10 < 7)
        next = at == 0 ? 1 : at + 1 == count || random() % 2 == 0 ? at - 1 : at + 1;
    answer = {question.candidates[next]};
    return answers;
}

schedule::Answers crossed(const Candidate& one, const Candidate& other, std::mt19937_64& random) {
    schedule::Answers answers = one.answers;
    for (auto& [name, answer] : answers)
        if (const auto found = other.answers.find(name); found != other.answers.end() && random() % 2 == 0)
            answer = found->second;
    return answers;
}

std::optional<double> ratioOf(const Trial& trial) {
    const bool ran = trial.verdict == Verdict::Measured || trial.verdict == Verdict::Slow;
    return ran && trial.ratio.middle > 0 ? std::optional(trial.ratio.middle) : std::nullopt;
}

std::vector<const Trial*> fastest(std::span<const Trial> trials) {
    std::vector<std::pair<double, const Trial*>> ran;
    for (const Trial& trial : trials)
        if (const auto ratio = ratioOf(trial))
            ran.emplace_back(*ratio, &trial);
    std::ranges::stable_sort(ran, {}, &std::pair<double, const Trial*>::first);
    std::vector<const Trial*> ordered;
    for (const auto& [ratio, trial] : ran)
        ordered.push_back(trial);
    return ordered;
}

void addMade(std::vector<Candidate>& made, size_t count, size_t enough, Explorer& explorer,
             const std::function<std::optional<Request>()>& draw) {
    for (size_t misses = 0; made.size() < count && misses < enough;) {
        // No more than surely would be asked for one after the other.
        std::vector<Request> requests;
        for (size_t left = std::min(count - made.size(), enough - misses); left > 0; --left)
            if (auto request = draw())
                requests.push_back(std::move(*request));
            else
                ++misses;
        for (std::optional<Candidate>& candidate : explorer.makeAll(std::move(requests)))
            if (candidate)
                made.push_back(std::move(*candidate));
            else
                ++misses;
    }
}

void addRandom(std::vector<Candidate>& made, size_t count, Explorer& explorer, std::mt19937_64& random) {
    addMade(made, count, mostMisses, explorer, [&] { return Request{{}, random(), Made::Random, std::nullopt}; });
}

} // namespace lathe::tune
