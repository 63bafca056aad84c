// SPDX-License-Identifier: Apache-2.0
//
// Coordinate descent: the answers are the coordinates. Around the fastest two, each question's neighbouring answers; once
// these are known, its other ones.
#include "tune/search/searches.h"

#include <algorithm>

namespace lathe::tune {
namespace {

constexpr size_t starts = 2;

class Descent final : public Search {
public:
    std::vector<Candidate> propose(size_t count, Explorer& explorer, std::span<const Trial> trials) override {
        std::vector<Candidate> made;
        std::vector<const Trial*> from = fastest(trials);
        from.resize(std::min(from.size(), starts));
        for (const bool near : {true, false})
            for (const Trial* trial : from)
                addAround(trial->candidate, near, made, count, explorer);
        return made;
    }

private:
    static void addAround(const Candidate& from, bool near, std::vector<Candidate>& made, size_t count,
                          Explorer& explorer) {
        for (const schedule::Question& question : from.questions) {
            const std::vector<int64_t>& list = question.candidates;
            const auto at = std::ranges::find(list, from.answers.at(question.name).front()) - list.begin();
            for (std::ptrdiff_t i = 0; i < std::ssize(list) && made.size() < count; ++i) {
                if (i == at || (std::abs(i - at) == 1) != near)
                    continue;
                schedule::Answers answers = from.answers;
                answers[question.name] = {list[static_cast<size_t>(i)]};
                if (auto candidate = explorer.make(std::move(answers), std::nullopt, Made::Changed, from.program))
                    made.push_back(std::move(*candidate));
            }
        }
    }
};

} // namespace

std::unique_ptr<Search> makeDescent(uint64_t) {
    return std::make_unique<Descent>();
}

} // namespace lathe::tune
