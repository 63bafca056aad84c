// SPDX-License-Identifier: Apache-2.0
//
// Looking at a schedule's function, deciding, and turning failures into Diagnostics.
#include "schedule/schedule.h"
#include "schedule/editor.h"

#include <algorithm>

namespace lathe::schedule {

Schedule::Schedule(tir::PrimFuncPtr function, std::shared_ptr<const Chooser> chooser)
    : function_(std::move(function)), chooser_(chooser ? std::move(chooser) : std::make_shared<Preferred>()) {
    for (const BlockRef& block : blocks())
        blockNames_.push_back(block.name);
    unscheduledBlocks_ = blockNames_.size();
}

std::vector<BlockRef> Schedule::blocks() const {
    std::vector<BlockRef> result;
    for (const Path& path : findBlocks(function_->body))
        result.push_back({blockOf(path).name});
    return result;
}

bool Schedule::hasBlock(const BlockRef& block) const {
    return !findBlock(function_->body, block.name).empty();
}

int Schedule::numberOf(const BlockRef& block) const {
    auto found = std::ranges::find(blockNames_.rbegin(), blockNames_.rend(), block.name);
    if (found == blockNames_.rend())
        throw ScheduleError("there is no block '" + block.name + "'");
    return static_cast<int>(blockNames_.rend() - found) - 1;
}

const tir::Block& Schedule::get(const BlockRef& block) const {
    Path path = findBlock(function_->body, block.name);
    if (path.empty())
        throw ScheduleError("there is no block '" + block.name + "'");
    return blockOf(path); // owned by function_, not by the path
}

std::vector<LoopRef> Schedule::loops(const BlockRef& block) {
    Editor edit(*this, "loops");
    std::vector<LoopRef> result;
    bool isNew = false;
    for (const tir::For* loop : loopsOf(edit.block(block.name))) {
        auto it = std::ranges::find_if(loopVars_, [&](const auto& entry) { return entry.second.same(loop->var); });
        isNew = isNew || it == loopVars_.end();
        result.push_back(it == loopVars_.end() ? edit.give({loop->var})[0] : LoopRef{it->first});
    }
    if (isNew) {
        edit.step.blocks = {numberOf(block)};
        edit.commit(result);
    }
    return result;
}

const tir::For& Schedule::get(LoopRef loop) const {
    auto it = loopVars_.find(loop.id);
    Path path = it == loopVars_.end() ? Path{} : findLoop(function_->body, it->second);
    if (path.empty())
        throw ScheduleError(fmt::format("there is no loop #{}", loop.id));
    return loopOf(path);
}

std::vector<BlockRef> Schedule::consumers(const BlockRef& block) const {
    const tir::Block& producer = get(block);
    std::vector<BlockRef> result;
    for (const Path& path : findBlocks(function_->body)) {
        const tir::Block& other = blockOf(path);
        bool uses = &other != &producer && std::ranges::any_of(producer.writes, [&](const tir::Region& region) {
            return reads(other, region.buffer.get());
        });
        if (uses)
            result.push_back({other.name});
    }
    return result;
}

std::vector<Number> Schedule::decide(const Question& question) {
    const std::string misfit = objection(question, question.preferred);
    LATHE_ASSERT(misfit.empty(), "the preferred answer to " + question.name + " is none: " + misfit);
    return record({question, chooser_->answer(question)});
}

Number Schedule::choose(const BlockRef& block, std::string_view what, std::vector<int64_t> candidates,
                        int64_t preferred, Question::Kind kind) {
    if (std::ranges::find(candidates, preferred) == candidates.end())
        candidates.insert(std::ranges::lower_bound(candidates, preferred), preferred);
    Question question;
    question.kind = kind;
    question.name = fmt::format("b{}.{}", numberOf(block), what);
    question.candidates = std::move(candidates);
    question.preferred = {preferred};
    return decide(question).front();
}

std::vector<Number> Schedule::record(Decision decision) {
    const std::string& name = decision.question.name;
    if (const std::string wrong = objection(decision.question, decision.answer); !wrong.empty())
        throw AnswerError(fmt::format("the answer to {} does not fit: {}", name, wrong));
    std::vector<Number> numbers;
    for (int64_t value : decision.answer)
        numbers.emplace_back(value, DecisionRef{name, static_cast<int>(numbers.size())});
    const auto before =
        std::ranges::find_if(decisions_, [&](const Decision& other) { return other.question.name == name; });
    if (before == decisions_.end()) {
        trace_.steps.push_back(stepOf(decision));
        decisions_.push_back(std::move(decision));
    } else {
        LATHE_ASSERT(before->answer == decision.answer, "two questions have the name " + name);
    }
    return numbers;
}

Result<void> apply(Schedule& schedule, const std::function<void(Schedule&)>& fn) {
    try {
        fn(schedule);
        return {};
    } catch (const ScheduleError& failure) {
        return std::unexpected(error(failure.what()));
    }
}

} // namespace lathe::schedule
