// SPDX-License-Identifier: Apache-2.0
#include "tune/explorer.h"

#include "base/parallel.h"

#include <numeric>

namespace lathe::tune {
namespace {

/// Of what decides which candidate comes out.
Hash128 hashOf(const Request& request) {
    Hasher hasher;
    hasher.add(uint64_t{request.seed.has_value()});
    hasher.add(request.seed.value_or(0));
    for (const auto& [name, answer] : request.held) {
        hasher.add(name);
        hasher.add(uint64_t{answer.size()});
        for (const int64_t part : answer)
            hasher.add(static_cast<uint64_t>(part));
    }
    return hasher.finish();
}

/// The candidate at a share of all weights, one after the other.
int64_t weighted(const schedule::Question& question, double share) {
    double left = share * std::accumulate(question.weights.begin(), question.weights.end(), 0.0);
    int64_t last = question.preferred.front(); // whose weight is not 0, against rounding
    for (size_t i = 0; i < question.candidates.size(); ++i) {
        if (question.weights[i] <= 0)
            continue;
        last = question.candidates[i];
        left -= question.weights[i];
        if (left < 0)
            break;
    }
    return last;
}

constexpr size_t mostReasons = 32;
constexpr const char* otherReasons = "other reasons";

} // namespace

std::vector<int64_t> Held::answer(const schedule::Question& question) const {
    if (const auto held = held_.find(question.name);
        held != held_.end() && schedule::objection(question, held->second).empty())
        return held->second;
    const bool isTile = question.kind == schedule::Question::Kind::Tile;
    if (!seed_ || (question.candidates.empty() && !isTile))
        return question.preferred;
    Hasher hasher;
    hasher.add(*seed_);
    hasher.add(question.name);
    const uint64_t drawn = hasher.finish().low;
    if (isTile) {
        const std::vector<std::vector<int64_t>> tiles = schedule::answersTo(question);
        return tiles[drawn % tiles.size()];
    }
    return {question.weights.empty() ? question.candidates[drawn % question.candidates.size()]
                                     : weighted(question, static_cast<double>(drawn >> 11) * 0x1p-53)};
}

Result<Candidate> Explorer::generate(const Request& request) const {
    return space_.generate(computation_, std::make_shared<Held>(request.held, request.seed));
}

Result<Candidate> Explorer::look(schedule::Answers held) const {
    return generate({std::move(held), std::nullopt, Made::Changed, std::nullopt});
}

std::optional<Candidate> Explorer::make(schedule::Answers held, std::optional<uint64_t> seed, Made made,
                                        std::optional<Hash128> parent) {
    return std::move(makeAll({{std::move(held), seed, made, parent}}).front());
}

std::vector<std::optional<Candidate>> Explorer::makeAll(std::vector<Request> requests) {
    std::vector<size_t> fresh;
    std::unordered_set<Hash128, HashOfHash128> here;
    for (size_t i = 0; i < requests.size(); ++i) {
        const Hash128 question = hashOf(requests[i]);
        const auto before = asked_.find(question);
        const bool isKnown = before != asked_.end() && (!before->second || known_.contains(*before->second));
        if (!isKnown && here.insert(question).second)
            fresh.push_back(i);
    }
    std::vector<Result<Candidate>> generated(fresh.size());
    parallelFor(fresh.size(), 0, [&](size_t i) { generated[i] = generate(requests[fresh[i]]); });
    std::vector<std::optional<Candidate>> made(requests.size());
    for (size_t i = 0; i < fresh.size(); ++i)
        made[fresh[i]] = admit(std::move(generated[i]), requests[fresh[i]]);
    return made;
}

std::optional<Candidate> Explorer::admit(Result<Candidate> candidate, const Request& request) {
    asked_[hashOf(request)] = candidate ? std::optional(candidate->program) : std::nullopt;
    if (!candidate && candidate.error().kind == ErrorKind::Internal) {
        if (!fault_)
            fault_ = candidate.error();
    } else if (!candidate) {
        const bool counts = refusals_.size() < mostReasons || refusals_.contains(candidate.error().what);
        ++refusals_[counts ? candidate.error().what : otherReasons];
    }
    if (!candidate || !known_.insert(candidate->program).second)
        return std::nullopt;
    candidate->made = request.made;
    candidate->parent = request.parent;
    return std::move(*candidate);
}

std::vector<double> Explorer::rate(std::span<Candidate> candidates) const {
    return judge_ ? judge_->rate(candidates, sizes_) : std::vector<double>(candidates.size());
}

} // namespace lathe::tune
