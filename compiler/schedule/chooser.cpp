// SPDX-License-Identifier: Apache-2.0
#include "schedule/chooser.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace lathe::schedule {
namespace {

std::string objectionToTile(const Question& question, const std::vector<int64_t>& answer) {
    if (answer.size() != static_cast<size_t>(question.parts))
        return fmt::format("{} factors are asked for, not {}", question.parts, answer.size());
    if (answer.empty() || answer.front() != -1)
        return "the outermost factor is what remains, -1";
    const int64_t most = question.extent > 0 ? question.extent : std::numeric_limits<int64_t>::max();
    int64_t product = 1;
    for (auto factor = answer.begin() + 1; factor != answer.end(); ++factor)
        if (*factor < 1 || __builtin_mul_overflow(product, *factor, &product) || product > most)
            return fmt::format("the factors {} do not divide an extent of {}", fmt::join(answer, ", "),
                               question.extent);
    return {};
}

} // namespace

const char* toString(Question::Kind kind) {
    static constexpr const char* names[] = {"one of", "tile", "place", "rule"};
    return names[static_cast<size_t>(kind)];
}

std::string objection(const Question& question, const std::vector<int64_t>& answer) {
    if (question.kind == Question::Kind::Tile)
        return objectionToTile(question, answer);
    if (answer.size() != 1)
        return fmt::format("one number is asked for, not {}", answer.size());
    if (std::ranges::find(question.candidates, answer.front()) == question.candidates.end())
        return fmt::format("{} is none of {}", answer.front(), fmt::join(question.candidates, ", "));
    return {};
}

std::vector<int64_t> Pinned::answer(const Question& question) const {
    auto pinned = answers_.find(question.name);
    return pinned == answers_.end() ? question.preferred : pinned->second;
}

std::vector<int64_t> Noting::answer(const Question& question) const {
    if (std::ranges::find(asked_, question.name, &Question::name) == asked_.end())
        asked_.push_back(question);
    return chooser_->answer(question);
}

} // namespace lathe::schedule
