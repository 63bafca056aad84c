// SPDX-License-Identifier: Apache-2.0
//
// What primitives share: finding, failing, naming, allocating and committing.
#include "schedule/editor.h"

#include "tir/accumulation.h"

#include <algorithm>
#include <unordered_set>

namespace lathe::schedule {

Editor::Editor(Schedule& schedule, std::string primitive)
    : body(schedule.function_->body), schedule(schedule), primitive(std::move(primitive)) {}

void Editor::fail(const std::string& why) const {
    throw ScheduleError(primitive + ": " + why);
}

Path Editor::block(const std::string& name) const {
    Path path = findBlock(body, name);
    require(!path.empty(), "there is no block " + quoted(name));
    return path;
}

Path Editor::loop(LoopRef ref) const {
    auto it = schedule.loopVars_.find(ref.id);
    require(it != schedule.loopVars_.end(), fmt::format("there is no loop #{}", ref.id));
    Path path = findLoop(body, it->second);
    require(!path.empty(), fmt::format("{} does not exist any more", nameOf(ref)));
    return path;
}

std::string Editor::nameOf(LoopRef ref) const {
    auto it = schedule.loopVars_.find(ref.id);
    return it == schedule.loopVars_.end() ? fmt::format("loop #{}", ref.id)
                                          : fmt::format("loop {} (#{})", it->second->name, ref.id);
}

std::string Editor::freeBlockName(const std::string& wanted) const {
    std::unordered_set<std::string> names;
    for (const Path& path : findBlocks(body))
        names.insert(blockOf(path).name);
    std::string name = wanted;
    for (int i = 1; names.contains(name); ++i)
        name = fmt::format("{}_{}", wanted, i);
    return name;
}

std::string Editor::freeBufferName(const std::string& wanted) const {
    std::unordered_set<std::string> names;
    for (const BufferPtr& buffer : buffersIn(body))
        names.insert(buffer->name);
    std::string name = wanted;
    for (int i = 1; names.contains(name); ++i)
        name = fmt::format("{}_{}", wanted, i);
    return name;
}

bool Editor::isParameter(const tir::Buffer* buffer) const {
    return std::ranges::any_of(schedule.function_->params,
                               [&](const tir::Param& param) { return param.buffer.get() == buffer; });
}

std::vector<std::string> Editor::writersOf(const tir::Buffer* buffer) const {
    std::vector<std::string> names;
    for (const Path& path : findBlocks(body))
        if (writes(blockOf(path), buffer))
            names.push_back(blockOf(path).name);
    return names;
}

std::vector<std::string> Editor::readersOf(const tir::Buffer* buffer) const {
    std::vector<std::string> names;
    for (const Path& path : findBlocks(body))
        if (reads(blockOf(path), buffer) && !writes(blockOf(path), buffer))
            names.push_back(blockOf(path).name);
    return names;
}

BufferPtr Editor::regionBuffer(const tir::Block& block, const std::vector<tir::Region>& regions, int index) const {
    require(index >= 0 && static_cast<size_t>(index) < regions.size(),
            fmt::format("block '{}' has {} such regions, there is no number {}", block.name, regions.size(), index));
    return regions[static_cast<size_t>(index)].buffer;
}

Path Editor::enclosingNest(const Path& block, const tir::Buffer* buffer) const {
    size_t depth = 0;
    Path allocation = findAllocate(body, buffer);
    if (!allocation.empty())
        depth = allocation.size();
    while (depth + 1 < block.size() && (block[depth]->as<tir::Allocate>() || block[depth]->as<tir::Seq>()))
        ++depth;
    return {block.begin(), block.begin() + static_cast<long>(depth) + 1};
}

void Editor::allocate(const BufferPtr& buffer, const tir::Buffer* beside) {
    Path path = findAllocate(body, beside);
    if (path.empty()) {
        body = tir::makeStmt(tir::Allocate{buffer, body}, body->origin);
        return;
    }
    body = replaceAt(path, tir::makeStmt(tir::Allocate{buffer, path.back()}, path.back()->origin));
}

void Editor::removeAllocate(const tir::Buffer* buffer) {
    Path path = findAllocate(body, buffer);
    if (!path.empty())
        body = replaceAt(path, path.back()->as<tir::Allocate>()->body);
}

void Editor::checkParallelLoops() const {
    for (const Path& path : findBlocks(body)) {
        const tir::Block& block = blockOf(path);
        std::unordered_set<const tir::Buffer*> own; // allocated since the loop, walking outwards
        for (size_t i = path.size(); i-- > 0;) {
            if (const auto* allocate = path[i]->as<tir::Allocate>())
                own.insert(allocate->buffer.get());
            const auto* loop = path[i]->as<tir::For>();
            if (!loop || (loop->kind != tir::ForKind::Parallel && loop->kind != tir::ForKind::Vectorized))
                continue;
            if (arith::isConst(loop->extent, 1)) // one iteration shares with no other
                continue;
            const char* kind = loop->kind == tir::ForKind::Parallel ? "parallel" : "vectorized";
            bool spatial = false;
            // Lanes of a vector that add to one element are combined before they are stored (float32 and float64: of other
            // types the loop stays serial, which is right as well).
            const auto* store = block.body->as<tir::Store>();
            const auto accumulation = loop->kind == tir::ForKind::Vectorized && !block.init && store
                                          ? tir::asAccumulation(*store)
                                          : std::nullopt;
            for (const tir::IterVar& iter : block.iters) {
                if (!arith::mentions(iter.binding, loop->var))
                    continue;
                if (accumulation && iter.kind == tir::IterKind::Reduce &&
                    arith::mentions(accumulation->value, iter.var)) {
                    spatial = true;
                    continue;
                }
                require(
                    iter.kind == tir::IterKind::Spatial,
                    fmt::format("block '{}' reduces along {}, which would be {}", block.name, loop->var->name, kind));
                spatial = true;
            }
            for (const tir::Region& region : block.writes) {
                if (own.contains(region.buffer.get()))
                    continue;
                require(region.buffer->scope != tir::Scope::Local || loop->kind == tir::ForKind::Vectorized,
                        fmt::format("block '{}' writes the local buffer '{}', which is shared between iterations of {}",
                                    block.name, region.buffer->name, loop->var->name));
                bool apart = spatial;
                for (const auto& [start, extent] : region.ranges)
                    apart = apart || arith::mentions(start, loop->var);
                require(apart, fmt::format("each iteration of {}, which would be {}, writes the same elements of '{}' "
                                           "(block '{}')",
                                           loop->var->name, kind, region.buffer->name, block.name));
            }
        }
    }
}

void Editor::requireInScope(const Stmt& nest, const Path& around, const std::string& name) const {
    std::unordered_set<const arith::ExprNode*> missing;
    tir::visitStmts(body, [&](const Stmt& stmt) {
        if (const auto* loop = stmt->as<tir::For>())
            missing.insert(loop->var.get());
        return true;
    });
    for (const tir::For* outer : loopsOf(around))
        missing.erase(outer->var.get());
    for (const Var& var : freeVarsOf(nest))
        require(!missing.contains(var.get()),
                fmt::format("block '{}' refers to loop {}, which is not around", name, var->name));
    for (const BufferPtr& buffer : buffersIn(nest)) {
        // Memory around the place, or at the very top of what is inside of it.
        Path allocation = findAllocate(body, buffer.get());
        bool visible = allocation.empty();
        for (size_t i = 0; i < allocation.size() && !visible; ++i) {
            bool same = i < around.size() && allocation[i] == around[i];
            if (!same)
                visible = i == around.size() && std::all_of(allocation.begin() + static_cast<long>(i), allocation.end(),
                                                            [](const Stmt& s) { return s->as<tir::Allocate>(); });
            if (!same)
                break;
            visible = i + 1 == allocation.size();
        }
        require(visible, fmt::format("buffer '{}' of block '{}' does not exist there", buffer->name, name));
    }
}

std::vector<LoopRef> Editor::give(const std::vector<Var>& loopVars) {
    std::vector<LoopRef> refs;
    for (const Var& var : loopVars) {
        schedule.loopVars_[schedule.nextLoop_] = var;
        refs.push_back({schedule.nextLoop_++});
    }
    return refs;
}

void Editor::commit(const std::vector<LoopRef>& gives, const std::vector<std::string>& makes) {
    auto function = std::make_shared<tir::PrimFunc>(*schedule.function_);
    function->body = body;
    schedule.function_ = std::move(function);
    step.primitive = primitive;
    for (const LoopRef& loop : gives)
        step.gives.push_back(loop.id);
    for (const std::string& name : makes) {
        step.makes.push_back(static_cast<int>(schedule.blockNames_.size()));
        schedule.blockNames_.push_back(name);
    }
    schedule.trace_.steps.push_back(std::move(step));
}

Stmt makeNest(tir::Block block, const std::vector<NestLoop>& loops, const std::vector<const tir::For*>& around,
              int origin) {
    std::vector<tir::For> fors;
    LoopRanges ranges(around);
    for (size_t i = 0; i < block.iters.size(); ++i) {
        tir::IterVar& iter = block.iters[i];
        const std::string& name = iter.var->name;
        Var var = arith::var(name.size() > 1 && name[0] == 'v' ? name.substr(1) : name);
        fors.push_back({var, 0, loops[i].extent, tir::ForKind::Serial, nullptr});
        ranges.add(var, 0, loops[i].extent, true);
        iter.binding = loops[i].start ? arith::simplify(loops[i].start + var, ranges.facts) : Expr(var);
    }
    std::vector<Expr> conditions = arith::conjuncts(block.predicate);
    for (size_t i = 0; i < block.iters.size(); ++i) {
        if (!loops[i].start && arith::provablyEqual(loops[i].extent, block.iters[i].extent, ranges.facts))
            continue;
        if (!provablyAtLeast(block.iters[i].binding, 0, ranges))
            conditions.push_back(arith::ge(block.iters[i].binding, 0));
        conditions.push_back(arith::lt(block.iters[i].binding, block.iters[i].extent));
    }
    block.predicate = simplifyPredicate(arith::conjunction(conditions), ranges);
    return wrap(std::move(fors), tir::makeStmt(std::move(block), origin), origin);
}

} // namespace lathe::schedule
