// SPDX-License-Identifier: Apache-2.0
//
// A genetic search without a model, as AutoTVM's: the fastest so far are the population, children come of two of them, drawn
// by how fast they are, and each answer of a child changes now and then.
#include "tune/search/searches.h"

#include <algorithm>

namespace lathe::tune {
namespace {

constexpr size_t population = 32;
constexpr uint64_t changeOneIn = 10;

class Genetic final : public Search {
public:
    explicit Genetic(uint64_t seed) : random_(seed) {}

    std::vector<Candidate> propose(size_t count, Explorer& explorer, std::span<const Trial> trials) override {
        std::vector<Candidate> made;
        std::vector<const Trial*> parents = fastest(trials);
        if (parents.size() < population) {
            addRandom(made, std::min(count, population - parents.size()), explorer, random_);
            if (!made.empty())
                return made;
        }
        parents.resize(std::min(parents.size(), population));
        std::vector<double> speeds;
        for (const Trial* parent : parents)
            speeds.push_back(1 / *ratioOf(*parent));
        std::discrete_distribution<size_t> draw(speeds.begin(), speeds.end());
        if (!parents.empty())
            addMade(made, count, mostMisses, explorer, [&] {
                const Candidate& one = parents[draw(random_)]->candidate;
                return childOf(one, parents[draw(random_)]->candidate);
            });
        return made;
    }

private:
    Request childOf(const Candidate& one, const Candidate& other) {
        schedule::Answers answers = crossed(one, other, random_);
        for (const schedule::Question& question : one.questions)
            if (question.candidates.size() > 1 && random_() % changeOneIn == 0)
                answers[question.name] = {question.candidates[random_() % question.candidates.size()]};
        return {std::move(answers), std::nullopt, Made::Crossed, one.program};
    }

    std::mt19937_64 random_;
};

} // namespace

std::unique_ptr<Search> makeGenetic(uint64_t seed) {
    return std::make_unique<Genetic>(seed);
}

} // namespace lathe::tune
