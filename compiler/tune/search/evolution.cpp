// SPDX-License-Identifier: Apache-2.0
//
// Evolution, the default: the first batch looks around the default, whose answers are good; then candidates are made of the
// fastest few with an answer changed, and some are crossed. Where somebody has an opinion on candidates before they are
// tried, many more are made than a batch holds, half of them of those that are thought best, and the best go into the
// batch; the others wait for the next. Two of sixteen are drawn anew and one of those that wait by chance, so that the
// search neither stays where it began nor believes a wrong opinion. Where the default has nothing to change, the first ones are
// drawn.
#include "tune/search/searches.h"

#include <algorithm>
#include <numeric>

namespace lathe::tune {
namespace {

constexpr size_t parentsKept = 8;
constexpr size_t madeForOne = 3; // candidates for each place in a batch
constexpr size_t waitingKept = 64;

class Evolution final : public Search {
public:
    explicit Evolution(uint64_t seed) : random_(seed) {}

    std::vector<Candidate> propose(size_t count, Explorer& explorer, std::span<const Trial> trials) override {
        std::vector<const Candidate*> parents;
        for (const Trial* trial : fastest(trials))
            parents.push_back(&trial->candidate);
        parents.resize(std::min(parents.size(), parentsKept));
        const size_t drawn = std::max<size_t>(1, count / 8), chosen = count - std::min(drawn, count);
        if (!explorer.isJudged()) {
            letGo(0, explorer);
            addFirst(chosen, parents, explorer);
            addChildren(chosen, parents, explorer);
        } else {
            addFirst(madeForOne * count, parents, explorer);
            addChildren(madeForOne * count / 2, parents, explorer);
            order(explorer);
            const auto best = std::span(waiting_).first(std::min(waiting_.size(), parentsKept));
            const std::vector<Candidate> copies(best.begin(), best.end()); // they move as others are added
            std::vector<const Candidate*> next;
            for (const Candidate& candidate : copies)
                next.push_back(&candidate);
            addChildren(madeForOne * count / 2, next, explorer);
            order(explorer);
        }
        std::vector<Candidate> made = take(chosen, explorer);
        addRandom(made, std::min(count, made.size() + drawn), explorer, random_);
        return made;
    }

private:
    /// The default of a space of rules asks for nothing but the rule: what is there to change is drawn first.
    void addFirst(size_t count, const std::vector<const Candidate*>& parents, Explorer& explorer) {
        const auto isOpen = [](const schedule::Question& question) {
            return question.kind != schedule::Question::Kind::Rule && question.candidates.size() > 1;
        };
        if (std::ranges::none_of(
                parents, [&](const Candidate* parent) { return std::ranges::any_of(parent->questions, isOpen); }))
            addRandom(waiting_, count, explorer, random_);
    }

    void addChildren(size_t count, const std::vector<const Candidate*>& parents, Explorer& explorer) {
        if (parents.empty())
            return;
        // A miss costs as much as a child; where others wait, a small space is not searched for its last ones.
        const size_t enough = waiting_.empty() ? mostMisses : count;
        addMade(waiting_, waiting_.size() + count, enough, explorer, [&] { return childOf(parents); });
    }

    std::optional<Request> childOf(const std::vector<const Candidate*>& parents) {
        // Two draws, the better one is taken: those in front have more children.
        const Candidate& one = *parents[std::min(random_() % parents.size(), random_() % parents.size())];
        if (parents.size() > 1 && random_() % 4 == 0) {
            const Candidate& other = *parents[random_() % parents.size()];
            return Request{crossed(one, other, random_), std::nullopt, Made::Crossed, one.program};
        }
        auto answers = changed(one, random_);
        if (!answers)
            return std::nullopt;
        return Request{std::move(*answers), std::nullopt, Made::Changed, one.program};
    }

    /// Those thought best first.
    void order(const Explorer& explorer) {
        const std::vector<double> scores = explorer.rate(waiting_);
        std::vector<size_t> places(waiting_.size());
        std::iota(places.begin(), places.end(), size_t{0});
        std::ranges::stable_sort(places, std::ranges::greater(), [&](size_t i) { return scores[i]; });
        std::vector<Candidate> ordered;
        for (const size_t i : places)
            ordered.push_back(std::move(waiting_[i]));
        waiting_ = std::move(ordered);
    }

    /// The first of those that wait, and an eighth by chance; of the rest only so many stay.
    std::vector<Candidate> take(size_t count, Explorer& explorer) {
        std::vector<Candidate> taken;
        for (size_t left = std::min(count, waiting_.size()); left > 0; --left) {
            const size_t at = left <= count / 8 ? random_() % waiting_.size() : 0;
            taken.push_back(std::move(waiting_[at]));
            waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(at));
        }
        letGo(waitingKept, explorer);
        return taken;
    }

    void letGo(size_t kept, Explorer& explorer) {
        for (; waiting_.size() > kept; waiting_.pop_back())
            explorer.release(waiting_.back());
    }

    std::mt19937_64 random_;
    std::vector<Candidate> waiting_;
};

} // namespace

std::unique_ptr<Search> makeEvolution(uint64_t seed) {
    return std::make_unique<Evolution>(seed);
}

} // namespace lathe::tune
