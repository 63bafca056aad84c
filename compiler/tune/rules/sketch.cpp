// SPDX-License-Identifier: Apache-2.0
#include "tune/rules/sketch.h"

#include "schedule/initialisations.h"
#include "tir/access.h"
#include "tune/rules/annotate.h"
#include "tune/rules/partials.h"
#include "tune/rules/producers.h"
#include "tune/rules/reduction_tiles.h"
#include "tune/rules/together.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

namespace lathe::tune {

using schedule::BlockRef;

namespace {

void scheduleReduction(Sketch& sketch, const BlockRef& block, bool isPart) {
    const auto option = [](Rule rule, double weight) { return Option{static_cast<int64_t>(rule), weight}; };
    std::vector<Option> rules;
    if (canTile(sketch, block))
        rules = {option(Rule::Srs, 4), option(Rule::Ssrs, 3), option(Rule::Ssrsrs, 1)};
    if (canPack(sketch, block))
        rules.push_back(option(Rule::Packed, 3));
    if (canHavePartials(sketch, block))
        rules.push_back(option(Rule::Partials, 3));
    if (!isPart && canHaveParts(sketch, block))
        rules.push_back(option(Rule::Parts, 2));
    if (rules.empty())
        rules.push_back(option(Rule::Plain, 1));
    const auto rule =
        static_cast<Rule>(rules.size() == 1 ? rules.front().value
                                            : sketch.ask(block, "rule", rules, schedule::Question::Kind::Rule).value);
    switch (rule) {
    case Rule::Plain:
        schedulePlain(sketch, block);
        sketch.done.push_back(block.name);
        break;
    case Rule::Srs:
    case Rule::Ssrs:
    case Rule::Packed:
    case Rule::Ssrsrs:
        tileReduction(sketch, block, rule);
        break;
    case Rule::Partials:
        tilePartials(sketch, block);
        break;
    case Rule::Parts:
        scheduleReduction(sketch, makeParts(sketch, block), true);
        break;
    }
}

} // namespace

bool Sketch::isDone(const BlockRef& block) const {
    return std::ranges::find(done, block.name) != done.end();
}

schedule::Number Sketch::ask(const BlockRef& block, std::string_view what, const std::vector<Option>& options,
                             schedule::Question::Kind kind) {
    schedule::Question question;
    question.kind = kind;
    question.name = fmt::format("b{}.{}", schedule.numberOf(block), what);
    for (const Option& option : options) {
        question.candidates.push_back(option.value);
        if (isWeighted)
            question.weights.push_back(option.weight);
    }
    question.preferred = {std::ranges::max_element(options, {}, &Option::weight)->value};
    return schedule.decide(question).front();
}

schedule::Schedule scheduleByRules(const schedule::Schedule& start, const Target& target, bool isWeighted) {
    Sketch sketch{start, target, isWeighted, {}, {}};
    placeProducers(sketch);
    if (!scheduleTogether(sketch)) {
        const std::vector<BlockRef> blocks = sketch.schedule.blocks();
        for (const BlockRef& block : blocks | std::views::reverse)
            if (!sketch.isDone(block) && isReduction(sketch.schedule.get(block)))
                scheduleReduction(sketch, block, false);
        for (const BlockRef& block : blocks | std::views::reverse)
            if (!sketch.isDone(block))
                scheduleElementwise(sketch, block);
    }
    std::vector<schedule::Refusal> refusals; // what is left as it is, is slower, not wrong
    schedule::decomposeReductions(sketch.schedule, refusals);
    return std::move(sketch.schedule);
}

} // namespace lathe::tune
