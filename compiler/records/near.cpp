// SPDX-License-Identifier: Apache-2.0
#include "records/near.h"

#include "tir/text.h"
#include "tir/visit.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <ranges>
#include <tuple>

namespace lathe::records {
namespace {

constexpr double mostApart = 2; // times, of the numbers of two computations

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

/// The numbers of a text of the loop IR; those in names are none.
std::vector<int64_t> numbersIn(std::string_view text) {
    std::vector<int64_t> numbers;
    bool inName = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (isDigit(text[i]) && !inName) {
            int64_t number = 0;
            const auto [end, status] = std::from_chars(text.data() + i, text.data() + text.size(), number);
            numbers.push_back(status == std::errc() ? number : -1);
            i = static_cast<size_t>(end - text.data()) - 1;
            continue;
        }
        inName = isDigit(text[i]) || std::isalpha(static_cast<unsigned char>(text[i])) || text[i] == '_';
    }
    return numbers;
}

bool areNear(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    return std::ranges::equal(a, b, [](int64_t one, int64_t other) {
        const auto [least, most] = std::minmax(one, other);
        return least == most || (least > 0 && static_cast<double>(most) <= mostApart * static_cast<double>(least));
    });
}

/// A line of a block without indices, sizes and the numbers of names; empty for what is no step: loops, regions, memory.
std::string stepOf(std::string_view line) {
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string_view::npos)
        return {};
    line.remove_prefix(first);
    for (const std::string_view word : {"primfunc ", "var ", "buffer ", "allocate ", "for ", "reads ", "writes ", "}"})
        if (line.starts_with(word))
            return {};
    if (line.starts_with("iter ")) // its kind is all that matters
        return line.find(" reduce ") != std::string_view::npos ? "reduce\n" : "iter\n";
    std::string step;
    int depth = 0;
    for (const char c : line) {
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (depth == 0 && c != ']' && !isDigit(c))
            step += c;
    }
    return step + '\n';
}

std::string stepsOf(std::string_view text) {
    std::string steps;
    for (const auto line : std::views::split(text, '\n'))
        steps += stepOf(std::string_view(line.begin(), line.end()));
    return steps;
}

/// Under the name of a block's ordinal: "b0.rows".
std::optional<std::pair<size_t, std::string>> ordinalOf(std::string_view name) {
    size_t ordinal = 0;
    if (!name.starts_with('b'))
        return std::nullopt;
    const auto [end, status] = std::from_chars(name.data() + 1, name.data() + name.size(), ordinal);
    if (status != std::errc() || end == name.data() + name.size() || *end != '.')
        return std::nullopt;
    return std::pair(ordinal, std::string(end, name.data() + name.size()));
}

/// What is held, or the candidate nearest to it; the default for the rest.
class Nearest final : public schedule::Chooser {
public:
    explicit Nearest(schedule::Answers held) : held_(std::move(held)) {}

    std::vector<int64_t> answer(const schedule::Question& question) const override {
        const auto held = held_.find(question.name);
        if (held == held_.end())
            return question.preferred;
        if (schedule::objection(question, held->second).empty())
            return held->second;
        if (question.kind != schedule::Question::Kind::OneOf || held->second.size() != 1 || question.candidates.empty())
            return question.preferred;
        const auto apart = [&](int64_t candidate) {
            return std::abs(std::log1p(std::abs(static_cast<double>(candidate))) -
                            std::log1p(std::abs(static_cast<double>(held->second.front()))));
        };
        return {std::ranges::min(question.candidates, {}, apart)};
    }

private:
    schedule::Answers held_;
};

bool isOfThreads(std::string_view question) {
    return question.ends_with(".grain") || question.ends_with(".order");
}

} // namespace

NearRecords::Traits NearRecords::traitsOf(const tir::PrimFunc& computation, const Target& target) {
    const Workload workload = workloadOf(computation, target);
    Traits traits;
    traits.key = workload.key;
    traits.family = workload.family;
    traits.numbers = numbersIn(workload.text);
    traits.isOpen =
        std::ranges::any_of(computation.params, [](const tir::Param& param) { return param.buffer == nullptr; });
    traits.steps = stepsOf(workload.text);
    size_t ordinal = 0;
    tir::PrintOptions plain;
    plain.origins = plain.names = false;
    tir::visitStmts(computation.body, [&](const tir::Stmt& stmt) {
        const auto* block = stmt->as<tir::Block>();
        if (!block)
            return true;
        if (std::ranges::find(block->iters, tir::IterKind::Reduce, &tir::IterVar::kind) != block->iters.end()) {
            traits.reductions += tir::print(stmt, plain);
            traits.ordinals.push_back(ordinal);
        }
        ++ordinal;
        return false;
    });
    return traits;
}

Result<NearRecords> NearRecords::of(const File& file, const Setting& setting, const Target& target) {
    LATHE_TRY(const std::vector<Best> all, file.best());
    LATHE_TRY(const std::vector<Workload> workloads, file.workloads());
    std::map<std::string, Traits> known;
    NearRecords near(target);
    for (const Best& best : all) {
        const bool isStrict = best.setting.numerics == "strict"; // which is right under any numerics
        if (best.stale || best.setting.machine != setting.machine || best.workload.target != toString(target) ||
            (best.setting.numerics != setting.numerics && !isStrict))
            continue;
        const std::string& key = best.workload.key;
        if (!known.contains(key)) {
            const auto workload = std::ranges::find(workloads, key, &Workload::key);
            const auto computation =
                workload == workloads.end() ? failure("it is gone") : tir::parsePrimFunc(workload->text);
            known[key] = computation ? traitsOf(**computation, target) : Traits{};
        }
        auto answers = parseAnswers(best.trial.answers);
        if (!answers || known[key].key != key)
            continue;
        near.entries_.push_back(
            {known[key], best.setting.threads == setting.threads, best.trial.ratio.high, std::move(*answers)});
    }
    return near;
}

std::optional<NearRecords::Match> NearRecords::match(const Traits& wanted, const Entry& entry) {
    using lower::ScheduleFrom;
    const Traits& there = entry.traits;
    if (there.key == wanted.key) {
        if (entry.sameThreads)
            return std::nullopt;
        Match found{ScheduleFrom::OtherThreads, entry.answers, entry.ratio};
        std::erase_if(found.answers, [](const auto& answer) { return isOfThreads(answer.first); });
        return found;
    }
    if (there.isOpen != wanted.isOpen)
        return there.steps == wanted.steps ? std::optional(Match{ScheduleFrom::FixedSizes, entry.answers, entry.ratio})
                                           : std::nullopt;
    if (!wanted.reductions.empty() && there.reductions == wanted.reductions) {
        Match found{ScheduleFrom::OtherEpilogue, {}, entry.ratio};
        for (const auto& [name, answer] : entry.answers) {
            const auto named = ordinalOf(name);
            const auto place = named ? std::ranges::find(there.ordinals, named->first) : there.ordinals.end();
            if (place != there.ordinals.end())
                found.answers["b" +
                              std::to_string(wanted.ordinals[static_cast<size_t>(place - there.ordinals.begin())]) +
                              named->second] = answer;
        }
        return found;
    }
    if (there.family == wanted.family && areNear(there.numbers, wanted.numbers))
        return Match{ScheduleFrom::OtherSizes, entry.answers, entry.ratio};
    return std::nullopt;
}

std::vector<NearRecords::Match> NearRecords::matchesOf(const tir::PrimFunc& computation) const {
    const Traits wanted = traitsOf(computation, target_);
    std::vector<std::pair<bool, Match>> found; // whether for another number of threads
    for (const Entry& entry : entries_)
        if (auto matched = match(wanted, entry))
            found.emplace_back(!entry.sameThreads, std::move(*matched));
    std::ranges::stable_sort(
        found, {}, [](const auto& each) { return std::tuple(each.second.rule, each.first, each.second.ratio); });
    std::vector<Match> matches;
    for (auto& [otherThreads, matched] : found)
        matches.push_back(std::move(matched));
    return matches;
}

std::optional<lower::RecordedSchedule> NearRecords::scheduleFor(const tir::PrimFuncPtr& computation) const {
    for (const Match& matched : matchesOf(*computation)) {
        auto made = lower::scheduleAsAnswered(computation, target_, std::make_shared<Nearest>(matched.answers));
        if (made)
            return lower::RecordedSchedule{std::move(made->schedule.trace), matched.rule};
    }
    return std::nullopt;
}

} // namespace lathe::records
