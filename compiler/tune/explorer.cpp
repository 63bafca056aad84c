// SPDX-License-Identifier: Apache-2.0
#include "tune/explorer.h"

namespace lathe::tune {

std::vector<int64_t> Held::answer(const schedule::Question& question) const {
    if (const auto held = held_.find(question.name);
        held != held_.end() && schedule::objection(question, held->second).empty())
        return held->second;
    if (!seed_ || question.candidates.empty())
        return question.preferred;
    Hasher hasher;
    hasher.add(*seed_);
    hasher.add(question.name);
    return {question.candidates[hasher.finish().low % question.candidates.size()]};
}

Result<Candidate> Explorer::look(schedule::Answers held) const {
    return space_.generate(computation_, std::make_shared<Held>(std::move(held)));
}

std::optional<Candidate> Explorer::make(schedule::Answers held, std::optional<uint64_t> seed, Made made,
                                        std::optional<Hash128> parent) {
    auto candidate = space_.generate(computation_, std::make_shared<Held>(std::move(held), seed));
    if (!candidate || !known_.insert(candidate->program).second)
        return std::nullopt;
    candidate->made = made;
    candidate->parent = parent;
    return std::move(*candidate);
}

std::vector<double> Explorer::rate(std::span<Candidate> candidates) const {
    return judge_ ? judge_->rate(candidates, sizes_) : std::vector<double>(candidates.size());
}

} // namespace lathe::tune
