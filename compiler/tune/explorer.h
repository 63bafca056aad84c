// SPDX-License-Identifier: Apache-2.0
//
// A search's way through the space of one kernel: it holds some answers, the rest are preferred or drawn, and what comes out
// is a candidate that was not there before. What is drawn follows from a seed and the question's name alone, so the same
// seed gives the same candidates.
#pragma once

#include "tune/judge.h"
#include "tune/space.h"

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lathe::tune {

/// Answers what is held, as far as that is an answer; else draws one of the question's candidates by its weights, by seed and
/// name, or gives what is preferred where there is no seed.
class Held final : public schedule::Chooser {
public:
    explicit Held(schedule::Answers held, std::optional<uint64_t> seed = std::nullopt)
        : held_(std::move(held)), seed_(seed) {}
    std::vector<int64_t> answer(const schedule::Question& question) const override;

private:
    schedule::Answers held_;
    std::optional<uint64_t> seed_;
};

/// What a search asks for: see Held.
struct Request {
    schedule::Answers held;
    std::optional<uint64_t> seed;
    Made made = Made::Random;
    std::optional<Hash128> parent;
};

class Explorer {
public:
    /// `judge`, which may be null, outlives the explorer; `sizes` are those of the task.
    Explorer(Space space, tir::PrimFuncPtr computation, const Judge* judge = nullptr, std::vector<int64_t> sizes = {})
        : space_(std::move(space)), computation_(std::move(computation)), judge_(judge), sizes_(std::move(sizes)) {}

    /// The candidate of these answers; nothing if it is illegal, or its program is known already. From then on it is known.
    std::optional<Candidate> make(schedule::Answers held, std::optional<uint64_t> seed, Made made,
                                  std::optional<Hash128> parent = std::nullopt);
    /// As if made one after the other, but on all cores: the space is asked by several threads at once.
    std::vector<std::optional<Candidate>> makeAll(std::vector<Request> requests);
    /// As make, but gives what the answers lead to whether it is known or not.
    Result<Candidate> look(schedule::Answers held) const;
    /// It was not tried, and may be made again.
    void release(const Candidate& candidate) { known_.erase(candidate.program); }

    /// Whether there is no time left to look for more; whoever explores sets it.
    std::function<bool()> isOver = [] { return false; };
    /// Whether somebody has an opinion on candidates before they are tried.
    bool isJudged() const { return judge_ && judge_->asked() != Opinion::None; }
    /// Writes into them what is thought of them, and gives a score for each, higher for what is expected to be faster.
    std::vector<double> rate(std::span<Candidate> candidates) const;
    /// Why answers led to nothing that is worth building, and how often; the rarer ones of many reasons together.
    const std::map<std::string, int64_t>& refusals() const { return refusals_; }
    /// What is a fault of ours: no refusal, and what the space says from then on is not to be believed.
    const std::optional<Diagnostic>& fault() const { return fault_; }
    /// From now on the program is known.
    void know(const Hash128& program) { known_.insert(program); }

private:
    Result<Candidate> generate(const Request& request) const;
    std::optional<Candidate> admit(Result<Candidate> candidate, const Request& request);

    Space space_;
    tir::PrimFuncPtr computation_;
    const Judge* judge_;
    std::vector<int64_t> sizes_;
    std::unordered_set<Hash128, HashOfHash128> known_;
    /// What was asked for before, and the program it led to, if any: searches ask for much again, and to see that it is
    /// known costs a scheduling.
    std::unordered_map<Hash128, std::optional<Hash128>, HashOfHash128> asked_;
    std::map<std::string, int64_t> refusals_;
    std::optional<Diagnostic> fault_;
};

} // namespace lathe::tune
