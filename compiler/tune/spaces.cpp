// SPDX-License-Identifier: Apache-2.0
#include "tune/spaces.h"

#include "tune/rules/checks.h"
#include "tune/rules/sketch.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::tune {
namespace {

constexpr std::string_view templatesAlone = "template", withTemplates = "all";

/// What there is by rules. They are the same ones: whether their questions have weights differs.
const std::vector<SpaceRow>& table() {
    const auto byRules = [](bool isWeighted) {
        return [isWeighted](const schedule::Schedule& start, const Target& target, int) {
            return scheduleByRules(start, target, isWeighted);
        };
    };
    static const std::vector<SpaceRow> rows = {
        {.name = "sketch", .schedule = byRules(false)},
        {.name = "rules", .schedule = byRules(true)},
        {.name = std::string(withTemplates), .schedule = byRules(true)},
    };
    return rows;
}

/// Answers to the first question.
constexpr int64_t byTemplate = 0, byRules = 1;

schedule::Question wayQuestion(bool hasTemplate) {
    schedule::Question question;
    question.kind = schedule::Question::Kind::Rule;
    question.name = "way";
    question.candidates = {byTemplate, byRules};
    question.weights = {hasTemplate ? 1.0 : 0.0, 1.0};
    question.preferred = {byTemplate};
    return question;
}

/// A schedule by rules and what was asked for it. What is illegal, or not worth building, fails with the reason.
Result<Candidate> sketched(const tir::PrimFuncPtr& computation, const std::shared_ptr<const schedule::Chooser>& chooser,
                           const SpaceRow& rules, const Target& target, int threads) {
    const auto noting = std::make_shared<schedule::Noting>(chooser);
    try {
        const schedule::Schedule made = rules.schedule(schedule::Schedule(computation, noting), target, threads);
        LATHE_CHECKED(checkSchedule(computation, made.function(), target, threads));
        return candidateOf(made.function(), made.trace(), noting->asked(), *chooser);
    } catch (const schedule::ScheduleError& refused) {
        return failure(refused.what());
    } catch (const schedule::AnswerError& wrong) {
        return failure(wrong.what());
    } catch (const InternalError& fault) { // which ends the study, but not what it has found
        return failure(ErrorKind::Internal, fault.what(), "this is a fault of Lathe: please report it with the model");
    }
}

} // namespace

std::vector<std::string> spaceNames(std::span<const SpaceRow> added) {
    std::vector<std::string> names{std::string(templatesAlone)};
    for (const std::span<const SpaceRow> rows : {std::span<const SpaceRow>(table()), added})
        for (const SpaceRow& row : rows)
            names.push_back(row.name);
    return names;
}

Result<Space> makeSpace(std::string_view name, Space templates, const Target& target, int threads,
                        std::span<const SpaceRow> added) {
    if (name == templatesAlone)
        return templates;
    SpaceRow rules;
    for (const std::span<const SpaceRow> rows : {added, std::span<const SpaceRow>(table())})
        if (const auto row = std::ranges::find(rows, name, &SpaceRow::name); row != rows.end())
            rules = *row;
    if (!rules.schedule)
        return failure(ErrorKind::Usage, fmt::format("there is no space '{}'", name),
                       fmt::format("there are {}", fmt::join(spaceNames(added), ", ")));
    const bool hasTemplate = name == withTemplates;
    const auto generate = [=](const tir::PrimFuncPtr& computation,
                              const std::shared_ptr<const schedule::Chooser>& chooser) -> Result<Candidate> {
        const schedule::Question question = wayQuestion(hasTemplate);
        const std::vector<int64_t> way = chooser->answer(question);
        if (const std::string wrong = objection(question, way); !wrong.empty())
            return failure(fmt::format("the answer to {} does not fit: {}", question.name, wrong));
        Result<Candidate> made =
            way.front() == byRules
                ? sketched(computation, chooser, rules, target, threads)
                : templates.generate(computation, hasTemplate ? chooser : std::make_shared<schedule::Preferred>());
        if (!made)
            return made;
        if (way.front() == byTemplate && !hasTemplate) { // nobody can change the default here
            made->questions.clear();
            made->answers.clear();
        }
        made->questions.insert(made->questions.begin(), question);
        made->answers[question.name] = way;
        return made;
    };
    return Space{rules.name, rules.version, generate};
}

} // namespace lathe::tune
