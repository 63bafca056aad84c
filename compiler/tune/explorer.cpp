// SPDX-License-Identifier: Apache-2.0
#include "tune/explorer.h"

namespace lathe::tune {
namespace {

Hash128 hashOf(const schedule::Answers& held, const std::optional<uint64_t>& seed) {
    Hasher hasher;
    hasher.add(uint64_t{seed.has_value()});
    hasher.add(seed.value_or(0));
    for (const auto& [name, answer] : held) {
        hasher.add(name);
        hasher.add(uint64_t{answer.size()});
        for (const int64_t part : answer)
            hasher.add(static_cast<uint64_t>(part));
    }
    return hasher.finish();
}

} // namespace

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
    const Hash128 question = hashOf(held, seed);
    if (const auto before = asked_.find(question);
        before != asked_.end() && (!before->second || known_.contains(*before->second)))
        return std::nullopt;
    auto candidate = space_.generate(computation_, std::make_shared<Held>(std::move(held), seed));
    asked_[question] = candidate ? std::optional(candidate->program) : std::nullopt;
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
