// SPDX-License-Identifier: Apache-2.0
//
// Memory follows the loops: a buffer that one iteration of a loop fills and uses needs to hold that iteration's box
// only. This is what makes accumulators a register tile, and a producer's result a cache-sized one.
#include "schedule/editor.h"

#include <algorithm>
#include <unordered_set>

namespace lathe::schedule {

std::optional<int64_t> constantLimit(const Expr& extent, const arith::Facts& facts) {
    if (auto value = arith::asInt(extent))
        return value;
    int64_t upper = arith::bounds(extent, facts).upper;
    bool stated = false;
    arith::visit(extent, [&](const Expr& node) {
        stated = stated || node.kind() == arith::ExprKind::Min;
        return !stated;
    });
    if (stated && upper >= 0 && upper <= (1 << 20))
        return upper;
    return std::nullopt;
}

std::vector<std::optional<SymbolicRange>> touchedRanges(const tir::Buffer& buffer, const std::vector<Access>& accesses,
                                                        const Path& loopPath) {
    std::vector<std::optional<SymbolicRange>> touched(buffer.shape.size());
    std::vector<bool> all(buffer.shape.size(), false);
    std::vector<const tir::For*> outer = loopsOf(loopPath);
    LoopRanges outside(outer, outer.size());
    for (const Access& access : accesses) {
        LoopRanges ranges(loopsOf(access.path), outer.size());
        arith::VarMap bindings;
        if (const auto* block = access.path.back()->as<tir::Block>())
            for (const tir::IterVar& iter : block->iters)
                bindings[iter.var.get()] = iter.binding;
        std::unordered_set<const arith::ExprNode*> known;
        for (const tir::For* loop : loopsOf(access.path))
            known.insert(loop->var.get());
        for (size_t d = 0; d < touched.size(); ++d) {
            Expr index = arith::substitute(access.indices[d], bindings);
            bool plain = true;
            arith::visit(index, [&](const Expr& node) {
                // Variables that the block's body binds itself have no range here; symbols carry theirs.
                bool innerVar = node.kind() == arith::ExprKind::Var && !known.contains(node.get()) &&
                                node->lower == std::numeric_limits<int64_t>::min();
                plain = plain && node.kind() != arith::ExprKind::Load && !innerVar;
                return plain;
            });
            auto range = plain ? rangeOf(index, ranges) : std::nullopt;
            if (!range)
                all[d] = true;
            else
                touched[d] = touched[d] ? unite(*touched[d], *range, outside.facts) : *range;
        }
    }
    for (size_t d = 0; d < touched.size(); ++d)
        if (all[d])
            touched[d].reset();
    return touched;
}

std::optional<Expr> smallerExtent(const std::optional<SymbolicRange>& part, const Expr& whole,
                                  const arith::Facts& facts) {
    if (!part)
        return std::nullopt;
    Expr extent = extentOf(*part, facts);
    if (auto limit = constantLimit(extent, facts))
        extent = Expr(*limit);
    bool sure = arith::bounds(arith::simplify(whole - extent, facts), facts).lower >= 1;
    if (!sure && !(arith::asInt(extent) && !arith::asInt(whole)))
        return std::nullopt;
    return extent;
}

namespace {

struct Box {
    std::vector<Expr> start; // null: the dimension stays as it is
    std::vector<Expr> shape;
    bool smaller = false;
};

/// What all accesses under the loop touch in one of its iterations.
Box touchedBox(const tir::Buffer& buffer, const std::vector<Access>& accesses, const Path& loopPath) {
    std::vector<std::optional<SymbolicRange>> touched = touchedRanges(buffer, accesses, loopPath);
    std::vector<const tir::For*> outer = loopsOf(loopPath);
    LoopRanges outside(outer, outer.size());
    Box box;
    for (size_t d = 0; d < touched.size(); ++d) {
        auto extent = smallerExtent(touched[d], buffer.shape[d], outside.facts);
        box.start.push_back(extent ? touched[d]->lower : Expr());
        box.shape.push_back(extent ? *extent : buffer.shape[d]);
        box.smaller = box.smaller || extent;
    }
    return box;
}

/// The value at its greatest over the loops; the expression itself if it does not depend on them.
std::optional<Expr> greatest(const Expr& expr, const std::vector<const tir::For*>& loops) {
    LoopRanges ranges(loops);
    auto range = rangeOf(expr, ranges);
    if (!range)
        return std::nullopt;
    for (const Var& var : arith::freeVars(range->upper))
        if (ranges.ranges.contains(var.get()))
            return std::nullopt;
    return range->upper;
}

/// A Workspace allocation below a parallel loop, with the parallel loops around it; empty if there is none.
Path workspaceInParallel(const Stmt& stmt, Path& path, bool parallel) {
    path.push_back(stmt);
    const auto* allocate = stmt->as<tir::Allocate>();
    if (allocate && parallel && allocate->buffer->scope == tir::Scope::Workspace)
        return path;
    if (const auto* loop = stmt->as<tir::For>())
        parallel = parallel || loop->kind == tir::ForKind::Parallel;
    if (!stmt->as<tir::Block>())
        for (const Stmt& child : tir::childrenOf(*stmt))
            if (Path found = workspaceInParallel(child, path, parallel); !found.empty())
                return found;
    path.pop_back();
    return {};
}

} // namespace

Stmt compactBuffers(const Stmt& root, const Var& loopVar, const std::function<bool(const tir::Buffer*)>& keep) {
    Stmt body = root;
    Path loopPath = findLoop(body, loopVar);
    for (const BufferPtr& buffer : buffersIn(loopPath.back())) {
        if (keep(buffer.get()) || !buffer->strides.empty() || buffer->offset)
            continue;
        loopPath = findLoop(body, loopVar);
        Path allocation = findAllocate(body, buffer.get());
        std::vector<Access> accesses = accessesOf(body, buffer.get());
        auto inside = [&](const Path& path) {
            return path.size() >= loopPath.size() && path[loopPath.size() - 1] == loopPath.back();
        };
        if (allocation.empty() || inside(allocation) ||
            !std::ranges::all_of(accesses, [&](const Access& access) { return inside(access.path); }))
            continue;

        Box box = touchedBox(*buffer, accesses, loopPath);
        Stmt loop = loopPath.back();
        BufferPtr compact = buffer;
        if (box.smaller) {
            auto changed = std::make_shared<tir::Buffer>(*buffer);
            changed->shape = box.shape;
            compact = changed;
            loop = rewriteAccesses(loop, buffer.get(), compact, [&](const std::vector<Expr>& indices) {
                std::vector<Expr> rebased = indices;
                for (size_t d = 0; d < rebased.size(); ++d)
                    if (box.start[d])
                        rebased[d] = arith::simplify(rebased[d] - box.start[d]);
                return rebased;
            });
        }
        tir::For privately = *loop->as<tir::For>();
        privately.body = tir::makeStmt(tir::Allocate{compact, privately.body}, privately.body->origin);
        body = replaceAt(loopPath, tir::makeStmt(std::move(privately), loop->origin));
        allocation = findAllocate(body, buffer.get()); // of two, the outer one is found first
        body = replaceAt(allocation, allocation.back()->as<tir::Allocate>()->body);
    }
    return body;
}

std::optional<std::string> hoistWorkspaces(Stmt& root) {
    for (;;) {
        Path scratch;
        Path path = workspaceInParallel(root, scratch, false);
        if (path.empty())
            return std::nullopt;
        const auto* allocate = path.back()->as<tir::Allocate>();
        BufferPtr buffer = allocate->buffer;
        size_t top = 0;
        while (!path[top]->as<tir::For>() || path[top]->as<tir::For>()->kind != tir::ForKind::Parallel)
            ++top;
        std::vector<const tir::For*> inner = loopsOf({path.begin() + static_cast<long>(top), path.end()});
        auto sliced = std::make_shared<tir::Buffer>(*buffer);
        sliced->shape.clear();
        std::vector<Expr> slice;
        std::vector<Expr> sizes;
        for (const tir::For* loop : inner)
            if (loop->kind == tir::ForKind::Parallel) {
                sizes.push_back(loop->extent);
                slice.push_back(arith::simplify(loop->var - loop->min));
            }
        std::ranges::copy(buffer->shape, std::back_inserter(sizes));
        for (const Expr& size : sizes) {
            auto limit = greatest(size, inner);
            if (!limit)
                return "the workspace '" + buffer->name + "' has a size that is not known outside of the parallel loop";
            sliced->shape.push_back(*limit);
        }
        if (!buffer->strides.empty()) { // a slice is as long as its rows are apart
            Expr apart = buffer->strides.front() * buffer->shape.front();
            for (size_t i = slice.size(); i-- > 0;) {
                sliced->strides.insert(sliced->strides.begin(), arith::simplify(apart));
                apart = apart * sliced->shape[i];
            }
        }
        Stmt content = rewriteAccesses(allocate->body, buffer.get(), sliced, [&](const std::vector<Expr>& indices) {
            std::vector<Expr> result = slice;
            std::ranges::copy(indices, std::back_inserter(result));
            return result;
        });
        root = replaceAt(path, content);
        // Origins and loop variables are unchanged, so the outermost parallel loop is found again by its variable.
        Path outermost = findLoop(root, inner.front()->var);
        root = replaceAt(outermost, tir::makeStmt(tir::Allocate{sliced, outermost.back()}, outermost.back()->origin));
    }
}

} // namespace lathe::schedule
