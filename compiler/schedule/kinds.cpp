// SPDX-License-Identifier: Apache-2.0
//
// Primitives that say how a loop runs: parallel, in chunks of so much work, vectorized, unrolled.
#include "schedule/editor.h"

namespace lathe::schedule {

namespace {

constexpr int64_t maxUnroll = 64;
constexpr int64_t maxLanes = 256;
constexpr int64_t maxGrain = int64_t{1} << 40;

void setKind(Editor& edit, LoopRef ref, tir::ForKind kind) {
    Path path = edit.loop(ref);
    tir::For loop = loopOf(path);
    edit.require(loop.kind == tir::ForKind::Serial, edit.nameOf(ref) + " already has a kind");
    loop.kind = kind;
    edit.body = replaceAt(path, tir::makeStmt(std::move(loop), path.back()->origin));
}

void commit(Editor& edit, LoopRef ref) {
    edit.step.loops = {ref.id};
    edit.commit();
}

} // namespace

void Schedule::parallel(LoopRef loop) {
    Editor edit(*this, "parallel");
    for (const tir::For* outer : loopsOf(edit.loop(loop)))
        edit.require(outer->kind == tir::ForKind::Serial || outer->var.same(loopVars_.at(loop.id)),
                     "a parallel loop stands under serial loops only, " + outer->var->name + " is none");
    setKind(edit, loop, tir::ForKind::Parallel);
    if (auto why = hoistWorkspaces(edit.body))
        edit.fail(*why);
    edit.checkParallelLoops();
    commit(edit, loop);
}

void Schedule::annotate(LoopRef loop, std::string_view key, const Number& value) {
    Editor edit(*this, "annotate");
    Path path = edit.loop(loop);
    tir::For changed = loopOf(path);
    edit.require(key == "grain", fmt::format("there is no annotation '{}', only 'grain'", key));
    edit.require(changed.kind == tir::ForKind::Parallel,
                 edit.nameOf(loop) + " is not parallel: only chunks of parallel loops have a grain");
    edit.require(value >= 1 && value <= maxGrain, fmt::format("{} is no amount of work", value.value));
    changed.grain = value;
    edit.body = replaceAt(path, tir::makeStmt(std::move(changed), path.back()->origin));
    edit.step.numbers = {Editor::recorded(value)};
    edit.step.texts = {std::string(key)};
    commit(edit, loop);
}

void Schedule::vectorize(LoopRef loop) {
    Editor edit(*this, "vectorize");
    const tir::For& old = loopOf(edit.loop(loop));
    auto extent = arith::asInt(old.extent);
    edit.require(extent.has_value(),
                 fmt::format("{} has the extent {}, which is not constant", edit.nameOf(loop), toString(old.extent)));
    edit.require(*extent >= 1 && *extent <= maxLanes,
                 fmt::format("{} has the extent {}; vectors have 1 to {} lanes", edit.nameOf(loop), *extent, maxLanes));
    tir::visitStmts(old.body, [&](const Stmt& stmt) {
        edit.require(!stmt->as<tir::For>() && !stmt->as<tir::While>() && !stmt->as<tir::Allocate>(),
                     edit.nameOf(loop) + " is not an innermost loop");
        return true;
    });
    setKind(edit, loop, tir::ForKind::Vectorized);
    edit.checkParallelLoops();
    commit(edit, loop);
}

void Schedule::unroll(LoopRef loop) {
    Editor edit(*this, "unroll");
    Path path = edit.loop(loop);
    const tir::For& old = loopOf(path);
    int64_t most = arith::bounds(old.extent, LoopRanges(loopsOf(path)).facts).upper;
    edit.require(most <= maxUnroll, fmt::format("{} has the extent {}; at most {} iterations can be unrolled",
                                                edit.nameOf(loop), toString(old.extent), maxUnroll));
    setKind(edit, loop, tir::ForKind::Unrolled);
    commit(edit, loop);
}

} // namespace lathe::schedule
