// SPDX-License-Identifier: Apache-2.0
//
// Simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983) on measured times: walkers that change one answer a
// round, and go there if that is faster, or else with exp(−Δ/T). The temperature begins at the spread of the first times and
// falls by a twentieth each round. A walker around whom all is known begins anew somewhere else.
#include "tune/search/searches.h"

#include <algorithm>
#include <cmath>

namespace lathe::tune {
namespace {

constexpr double cooling = 0.95;
constexpr int mostSteps = 20; // a walker whose neighbours are all known goes further

class Annealing final : public Search {
public:
    explicit Annealing(uint64_t seed) : random_(seed) {}

    std::vector<Candidate> propose(size_t count, Explorer& explorer, std::span<const Trial> trials) override {
        std::vector<Candidate> made;
        if (!walkers_.empty()) {
            cool(trials);
            for (Walker& walker : walkers_)
                settle(walker, trials);
        }
        for (size_t i = 0; i < walkers_.size() && made.size() < count;) {
            auto next = step(walkers_[i], explorer);
            if (!next) {
                walkers_.erase(walkers_.begin() + static_cast<std::ptrdiff_t>(i));
                continue;
            }
            walkers_[i++].next = next->program;
            made.push_back(std::move(*next));
        }
        const size_t walked = made.size();
        addRandom(made, count, explorer, random_);
        for (size_t i = walked; i < made.size(); ++i)
            walkers_.push_back({made[i], 0, made[i].program});
        return made;
    }

private:
    struct Walker {
        Candidate at;
        double ratio = 0; // 0: not measured
        std::optional<Hash128> next;
    };

    void cool(std::span<const Trial> trials) {
        const std::vector<const Trial*> measured = fastest(trials);
        if (temperature_ < 0)
            temperature_ = measured.empty() ? 1 : std::log(*ratioOf(*measured.back()) / *ratioOf(*measured.front()));
        temperature_ *= cooling;
    }

    /// Goes to the place that was tried, or stays.
    void settle(Walker& walker, std::span<const Trial> trials) {
        if (!walker.next)
            return;
        const auto tried =
            std::ranges::find(trials, *walker.next, [](const Trial& trial) { return trial.candidate.program; });
        walker.next.reset();
        const auto ratio = tried == trials.end() ? std::nullopt : ratioOf(*tried);
        if (!ratio)
            return;
        const double worse = walker.ratio > 0 ? std::log(*ratio / walker.ratio) : 0;
        if (worse > 0 && std::generate_canonical<double, 53>(random_) >= std::exp(-worse / (temperature_ + 1e-5)))
            return;
        walker.at = tried->candidate;
        walker.ratio = *ratio;
    }

    std::optional<Candidate> step(const Walker& walker, Explorer& explorer) {
        Candidate from = walker.at;
        for (int steps = 0; steps < mostSteps; ++steps) {
            auto answers = changed(from, random_);
            if (!answers)
                return std::nullopt;
            if (auto next = explorer.make(*answers, std::nullopt, Made::Changed, walker.at.program))
                return next;
            from.answers = std::move(*answers);
        }
        return std::nullopt;
    }

    std::mt19937_64 random_;
    std::vector<Walker> walkers_;
    double temperature_ = -1; // not known yet
};

} // namespace

std::unique_ptr<Search> makeAnnealing(uint64_t seed) {
    return std::make_unique<Annealing>(seed);
}

} // namespace lathe::tune
