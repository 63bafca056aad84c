// SPDX-License-Identifier: Apache-2.0
#include "tune/search/searches.h"

#include <algorithm>

namespace lathe::tune {

std::optional<schedule::Answers> changed(const Candidate& parent, std::mt19937_64& random) {
    std::vector<const schedule::Question*> open;
    for (const schedule::Question& question : parent.questions)
        if (question.candidates.size() > 1)
            open.push_back(&question);
    if (open.empty())
        return std::nullopt;
    const schedule::Question& question = *open[random() % open.size()];
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

std::vector<const Trial*> fastest(std::span<const Trial> trials) {
    std::vector<const Trial*> measured;
    for (const Trial& trial : trials)
        if (trial.verdict == Verdict::Measured)
            measured.push_back(&trial);
    std::ranges::stable_sort(measured, {}, [](const Trial* trial) { return trial->ratio.middle; });
    return measured;
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
