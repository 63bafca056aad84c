// SPDX-License-Identifier: Apache-2.0
//
// Accumulators of a reduction that goes on: one iteration of a loop loads what was summed so far, adds to that, and stores it.
//
//     for k0 { for i { for k1 { C[i] += … } } }   ->   for k0 { for i { c = C[i]; for k1 { c += … }; C[i] = c } }
//
// Each element is summed in the order that it had. So a reduction may be taken in blocks whose operands stay in a cache, while
// its accumulators are registers all the same.
#include "schedule/written_tile.h"

namespace lathe::schedule {

namespace {

/// A copy of the tile, element by element.
Stmt copyTile(const Editor& edit, const std::string& name, const BufferPtr& from, const BufferPtr& to,
              const WrittenTile& tile, const Path& loop, int origin) {
    tir::Block block;
    block.name = name;
    block.predicate = arith::conjunction(tile.conditions());
    std::vector<Expr> indices;
    std::vector<NestLoop> loops;
    for (size_t d = 0; d < from->shape.size(); ++d) {
        const Var iter = arith::var(fmt::format("vi{}", d));
        block.iters.push_back({iter, from->shape[d], tir::IterKind::Spatial, {}});
        indices.push_back(iter);
        loops.push_back(tile.isWhole(d) ? NestLoop{{}, from->shape[d]}
                                        : NestLoop{tile.range(d).lower, extentOf(tile.range(d), tile.facts())});
    }
    block.body = tir::makeStmt(tir::Store{to, indices, arith::load(from, indices), {}}, origin);
    refreshRegions(block);
    Stmt nest = makeNest(std::move(block), loops, loopsOf(loop), origin);
    edit.requireInScope(nest, loop, name);
    return nest;
}

} // namespace

Schedule::Inplace Schedule::cacheInplace(const BlockRef& block, LoopRef loop, tir::Scope scope) {
    Editor edit(*this, "cacheInplace");
    const Path path = edit.block(block.name), loopPath = edit.loop(loop);
    const tir::Block& update = blockOf(path);
    edit.require(scope != tir::Scope::Global, "a copy is local or workspace");
    edit.require(isUnder(path, loopPath), fmt::format("{} is not around block '{}'", edit.nameOf(loop), block.name));
    for (const tir::For* around : loopsOf(loopPath))
        edit.require(around->kind == tir::ForKind::Serial || around->kind == tir::ForKind::Parallel,
                     fmt::format("loop {} is vectorized or unrolled", around->var->name));
    edit.require(update.writes.size() == 1,
                 fmt::format("block '{}' writes {} buffers", block.name, update.writes.size()));
    const BufferPtr buffer = update.writes[0].buffer;
    edit.require(!update.init, fmt::format("block '{}' initialises its result: that has to stand apart", block.name));
    edit.require(reads(update, buffer.get()), fmt::format("block '{}' does not go on with its result", block.name));
    edit.require(!isUnder(findAllocate(edit.body, buffer.get()), loopPath),
                 fmt::format("'{}' is memory of one iteration already", buffer->name));
    std::vector<Access> writes;
    for (Access& access : accessesOf(edit.body, buffer.get())) {
        if (!isUnder(access.path, loopPath))
            continue;
        const auto* user = access.path.back()->as<tir::Block>();
        edit.require(access.path.back() == path.back(),
                     fmt::format("'{}' is used by {} under the loop too", buffer->name,
                                 user ? "block " + Editor::quoted(user->name) : "other statements"));
        if (access.write)
            writes.push_back(std::move(access));
    }

    const WrittenTile tile(edit, buffer, loopPath, writes);
    const BufferPtr copy =
        tir::makeBuffer(edit.freeBufferName(buffer->name + (scope == tir::Scope::Local ? "_local" : "_workspace")),
                        buffer->dtype, buffer->shape, scope);
    const std::string load = edit.freeBlockName(block.name + "_load"),
                      store = edit.freeBlockName(block.name + "_store");
    const int origin = path.back()->origin;
    const Stmt before = copyTile(edit, load, buffer, copy, tile, loopPath, origin),
               after = copyTile(edit, store, copy, buffer, tile, loopPath, origin);
    tir::For changed = loopOf(loopPath);
    const Var var = changed.var;
    changed.body = rewriteAccesses(changed.body, buffer.get(), copy, [](const auto& indices) { return indices; });
    Path body = {changed.body};
    while (const auto* allocate = body.back()->as<tir::Allocate>())
        body.push_back(allocate->body);
    changed.body = replaceAt(body, tir::seq({before, body.back(), after}, body.back()->origin));
    edit.body = replaceAt(loopPath, tir::makeStmt(std::move(changed), loopPath.back()->origin));
    edit.allocate(copy, buffer.get());
    edit.body = compactBuffers(edit.body, var, [&](const tir::Buffer* each) { return edit.isParameter(each); });
    if (auto why = hoistWorkspaces(edit.body))
        edit.fail(*why);
    edit.checkParallelLoops();
    edit.step.blocks = {numberOf(block)};
    edit.step.loops = {loop.id};
    edit.step.texts = {scope == tir::Scope::Local ? "local" : "workspace"};
    edit.commit({}, {load, store});
    return {{load}, {store}};
}

} // namespace lathe::schedule
