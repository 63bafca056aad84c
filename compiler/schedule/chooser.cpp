// SPDX-License-Identifier: Apache-2.0
#include "schedule/chooser.h"

#include "base/rounding.h"

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
    if (answer.size() > 1 && answer.back() % question.unit != 0)
        return fmt::format("the innermost factor {} is no multiple of {}", answer.back(), question.unit);
    const int64_t most = question.extent > 0 ? question.extent : std::numeric_limits<int64_t>::max();
    int64_t product = 1;
    for (auto factor = answer.begin() + 1; factor != answer.end(); ++factor)
        if (*factor < 1 || __builtin_mul_overflow(product, *factor, &product) || product > most)
            return fmt::format("the factors {} do not divide an extent of {}", fmt::join(answer, ", "),
                               question.extent);
    return {};
}

constexpr int64_t tileFactors[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 24, 28, 32, 48, 64};
constexpr size_t mostAnswers = 4096;

/// Whether tiles of so many elements cover the extent with at most a seventh to spare.
bool wastesLittle(int64_t extent, int64_t tile) {
    return extent <= 0 || 7 * (ceilDiv(extent, tile) * tile - extent) <= extent;
}

/// Adds what `inner`, the factors so far from the innermost on, can become.
void addTiles(const Question& question, std::vector<int64_t>& inner, int64_t product,
              std::vector<std::vector<int64_t>>& tiles) {
    if (tiles.size() == mostAnswers)
        return;
    if (static_cast<int>(inner.size()) + 1 == question.parts) {
        if (!wastesLittle(question.extent, product))
            return;
        std::vector<int64_t>& tile = tiles.emplace_back(inner.rbegin(), inner.rend());
        tile.insert(tile.begin(), -1);
        return;
    }
    for (const int64_t factor : tileFactors) {
        const int64_t each = inner.empty() ? factor * question.unit : factor;
        if (question.extent > 0 && product * each > question.extent)
            break;
        inner.push_back(each);
        addTiles(question, inner, product * each, tiles);
        inner.pop_back();
    }
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

std::vector<std::vector<int64_t>> answersTo(const Question& question) {
    std::vector<std::vector<int64_t>> answers;
    if (question.kind != Question::Kind::Tile) {
        for (const int64_t candidate : question.candidates)
            answers.push_back({candidate});
        return answers;
    }
    std::vector<int64_t> inner;
    addTiles(question, inner, 1, answers);
    if (std::ranges::find(answers, question.preferred) == answers.end())
        answers.push_back(question.preferred);
    return answers;
}

std::vector<int64_t> Pinned::answer(const Question& question) const {
    auto pinned = answers_.find(question.name);
    return pinned == answers_.end() ? question.preferred : pinned->second;
}

std::vector<int64_t> Noting::answer(const Question& question) const {
    if (const auto before = std::ranges::find(asked_, question.name, &Question::name); before != asked_.end())
        *before = question;
    else
        asked_.push_back(question);
    return chooser_->answer(question);
}

} // namespace lathe::schedule
