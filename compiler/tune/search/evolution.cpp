// SPDX-License-Identifier: Apache-2.0
//
// Evolution, the default: the first batch looks around the default, whose answers are good; then most of a batch are the
// fastest few with an answer changed, some are crossed, and two of sixteen are drawn, so that it does not stay where it began.
#include "tune/search/searches.h"

#include <algorithm>

namespace lathe::tune {
namespace {

constexpr size_t parentsKept = 8;

class Evolution final : public Search {
public:
    explicit Evolution(uint64_t seed) : random_(seed) {}

    std::vector<Candidate> propose(size_t count, Explorer& explorer, std::span<const Trial> trials) override {
        std::vector<Candidate> made;
        std::vector<const Trial*> parents = fastest(trials);
        parents.resize(std::min(parents.size(), parentsKept));
        const size_t drawn = std::max<size_t>(1, count / 8);
        for (int misses = 0; !parents.empty() && made.size() + drawn < count && misses < mostMisses;)
            if (auto child = childOf(parents, explorer))
                made.push_back(std::move(*child));
            else
                ++misses;
        addRandom(made, std::min(count, made.size() + drawn), explorer, random_);
        return made;
    }

private:
    std::optional<Candidate> childOf(const std::vector<const Trial*>& parents, Explorer& explorer) {
        // Two draws, the faster one is taken: those in front have more children.
        const Candidate& one = parents[std::min(random_() % parents.size(), random_() % parents.size())]->candidate;
        if (parents.size() > 1 && random_() % 4 == 0) {
            const Candidate& other = parents[random_() % parents.size()]->candidate;
            return explorer.make(crossed(one, other, random_), std::nullopt, Made::Crossed, one.program);
        }
        auto answers = changed(one, random_);
        return answers ? explorer.make(std::move(*answers), std::nullopt, Made::Changed, one.program) : std::nullopt;
    }

    std::mt19937_64 random_;
};

} // namespace

std::unique_ptr<Search> makeEvolution(uint64_t seed) {
    return std::make_unique<Evolution>(seed);
}

} // namespace lathe::tune
