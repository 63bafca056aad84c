// SPDX-License-Identifier: Apache-2.0
//
// Looking at a schedule's function, deciding, and turning failures into Diagnostics.
#include "schedule/schedule.h"
#include "schedule/editor.h"

#include <algorithm>

namespace lathe::schedule {

Schedule::Schedule(tir::PrimFuncPtr function, Pins pins) : function_(std::move(function)), pins_(std::move(pins)) {}

std::vector<BlockRef> Schedule::blocks() const {
    std::vector<BlockRef> result;
    for (const Path& path : findBlocks(function_->body))
        result.push_back({blockOf(path).name});
    return result;
}

bool Schedule::hasBlock(const BlockRef& block) const {
    return !findBlock(function_->body, block.name).empty();
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
        Step step{.primitive = {}, .blocks = {block.name}, .loops = {}, .numbers = {}, .texts = {}, .results = {}};
        for (const LoopRef& ref : result)
            step.results.push_back(ref.id);
        edit.commit(std::move(step));
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

int64_t Schedule::choose(const std::string& name, const std::vector<int64_t>& candidates, int64_t preferred) {
    int64_t value = preferred;
    if (auto pin = pins_.find(name);
        pin != pins_.end() && std::ranges::find(candidates, pin->second) != candidates.end())
        value = pin->second;
    Step step{.primitive = "choose", .blocks = {}, .loops = {}, .numbers = {value}, .texts = {name}, .results = {}};
    std::ranges::copy(candidates, std::back_inserter(step.numbers));
    trace_.steps.push_back(std::move(step));
    return value;
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
