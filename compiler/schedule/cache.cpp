// SPDX-License-Identifier: Apache-2.0
//
// Primitives about memory: copies of operands and results, and the scope of a buffer.
#include "schedule/editor.h"

#include <algorithm>

namespace lathe::schedule {

namespace {

std::vector<Expr> unchanged(const std::vector<Expr>& indices) {
    return indices;
}

const char* nameOf(tir::Scope scope) {
    return scope == tir::Scope::Local ? "local" : "workspace";
}

BufferPtr copyOf(const Editor& edit, const BufferPtr& buffer, tir::Scope scope) {
    edit.require(scope != tir::Scope::Global, "a copy is local or workspace");
    return tir::makeBuffer(edit.freeBufferName(buffer->name + "_" + nameOf(scope)), buffer->dtype, buffer->shape,
                           scope);
}

Stmt copyNest(const std::string& name, const BufferPtr& from, const BufferPtr& to, const Path& beside, int origin) {
    tir::Block block;
    block.name = name;
    std::vector<Expr> indices;
    std::vector<NestLoop> loops;
    for (size_t i = 0; i < from->shape.size(); ++i) {
        Var iter = arith::var(fmt::format("vi{}", i));
        block.iters.push_back({iter, from->shape[i], tir::IterKind::Spatial, {}});
        indices.push_back(iter);
        loops.push_back({{}, from->shape[i]});
    }
    block.body = tir::makeStmt(tir::Store{to, indices, arith::load(from, indices), {}}, origin);
    refreshRegions(block);
    return makeNest(std::move(block), loops, loopsOf({beside.begin(), beside.end() - 1}), origin);
}

/// Records what all of them take; `made`: the block that was made, if any.
void commit(Editor& edit, const BlockRef& block, int index, tir::Scope scope, const std::vector<std::string>& made) {
    edit.step.blocks = {edit.schedule.numberOf(block)};
    edit.step.numbers = {index};
    edit.step.texts = {nameOf(scope)};
    edit.commit({}, made);
}

} // namespace

BlockRef Schedule::cacheRead(const BlockRef& block, int readIndex, tir::Scope scope) {
    Editor edit(*this, "cacheRead");
    Path path = edit.block(block.name);
    BufferPtr buffer = edit.regionBuffer(blockOf(path), blockOf(path).reads, readIndex);
    edit.require(!writes(blockOf(path), buffer.get()),
                 fmt::format("block '{}' writes '{}' itself", block.name, buffer->name));
    Path nest = edit.enclosingNest(path, buffer.get());
    for (const Access& access : accessesOf(nest.back(), buffer.get()))
        edit.require(!access.write,
                     fmt::format("'{}' is made in the loops around block '{}'", buffer->name, block.name));

    BufferPtr copy = copyOf(edit, buffer, scope);
    std::string name = edit.freeBlockName(buffer->name + "_cache");
    edit.body = replaceAt(path, rewriteAccesses(path.back(), buffer.get(), copy, unchanged));
    nest = edit.enclosingNest(edit.block(block.name), buffer.get());
    edit.body = insertBefore(nest, copyNest(name, buffer, copy, nest, path.back()->origin));
    edit.allocate(copy, buffer.get());
    commit(edit, block, readIndex, scope, {name});
    return {name};
}

BlockRef Schedule::cacheWrite(const BlockRef& block, int writeIndex, tir::Scope scope) {
    Editor edit(*this, "cacheWrite");
    Path path = edit.block(block.name);
    BufferPtr buffer = edit.regionBuffer(blockOf(path), blockOf(path).writes, writeIndex);
    Path nest = edit.enclosingNest(path, buffer.get());
    std::vector<std::string> writers = edit.writersOf(buffer.get());
    for (const std::string& writer : writers)
        edit.require(contains(nest.back(), edit.block(writer).back().get()),
                     fmt::format("block '{}' writes '{}' too, in other loops", writer, buffer->name));
    for (const Access& access : accessesOf(nest.back(), buffer.get())) {
        const auto* user = access.path.back()->as<tir::Block>();
        edit.require(user && writes(*user, buffer.get()),
                     fmt::format("'{}' is used in the loops that make it", buffer->name));
    }

    BufferPtr copy = copyOf(edit, buffer, scope);
    std::string name = edit.freeBlockName(block.name + "_cache");
    for (const std::string& writer : writers) {
        Path at = edit.block(writer);
        edit.body = replaceAt(at, rewriteAccesses(at.back(), buffer.get(), copy, unchanged));
    }
    nest = edit.enclosingNest(edit.block(block.name), buffer.get());
    edit.body = insertAfter(nest, copyNest(name, copy, buffer, nest, path.back()->origin));
    edit.allocate(copy, buffer.get());
    edit.checkParallelLoops();
    commit(edit, block, writeIndex, scope, {name});
    return {name};
}

void Schedule::setScope(const BlockRef& block, int writeIndex, tir::Scope scope) {
    Editor edit(*this, "setScope");
    Path path = edit.block(block.name);
    BufferPtr buffer = edit.regionBuffer(blockOf(path), blockOf(path).writes, writeIndex);
    edit.require(!edit.isParameter(buffer.get()), fmt::format("'{}' is the caller's", buffer->name));
    edit.require(scope != tir::Scope::Global, "memory within a kernel is local or workspace");
    auto changed = std::make_shared<tir::Buffer>(*buffer);
    changed->scope = scope;
    Path allocation = findAllocate(edit.body, buffer.get());
    edit.require(!allocation.empty(), fmt::format("'{}' is not allocated in this function", buffer->name));
    Stmt content = rewriteAccesses(allocation.back()->as<tir::Allocate>()->body, buffer.get(), changed, unchanged);
    edit.body = replaceAt(allocation, tir::makeStmt(tir::Allocate{changed, content}, allocation.back()->origin));
    if (auto why = hoistWorkspaces(edit.body))
        edit.fail(*why);
    edit.checkParallelLoops();
    commit(edit, block, writeIndex, scope, {});
}

} // namespace lathe::schedule
