// SPDX-License-Identifier: Apache-2.0
#include "tune/spaces.h"

#include "tune/rules/checks.h"
#include "tune/rules/sketch.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::tune {
namespace {

constexpr std::array<std::string_view, 4> names = {"template", "sketch", "rules", "all"};

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
                           const Target& target, int threads, bool isWeighted) {
    const auto noting = std::make_shared<schedule::Noting>(chooser);
    try {
        const schedule::Schedule made = scheduleByRules(schedule::Schedule(computation, noting), target, isWeighted);
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

std::span<const std::string_view> spaceNames() {
    return names;
}

Result<Space> makeSpace(std::string_view name, Space templates, const Target& target, int threads) {
    if (std::ranges::find(names, name) == names.end())
        return failure(ErrorKind::Usage, fmt::format("there is no space '{}'", name),
                       fmt::format("there are {}", fmt::join(names, ", ")));
    if (name == "template")
        return templates;
    const bool hasTemplate = name == "all", isWeighted = name != "sketch";
    const auto generate = [=](const tir::PrimFuncPtr& computation,
                              const std::shared_ptr<const schedule::Chooser>& chooser) -> Result<Candidate> {
        const schedule::Question question = wayQuestion(hasTemplate);
        const std::vector<int64_t> way = chooser->answer(question);
        if (const std::string wrong = objection(question, way); !wrong.empty())
            return failure(fmt::format("the answer to {} does not fit: {}", question.name, wrong));
        Result<Candidate> made =
            way.front() == byRules
                ? sketched(computation, chooser, target, threads, isWeighted)
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
    return Space{std::string(name), 1, generate};
}

} // namespace lathe::tune
