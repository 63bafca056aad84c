// SPDX-License-Identifier: Apache-2.0
//
// Paths through a PrimFunc's body, and rebuilding it along one.
#include "schedule/tree.h"

#include <algorithm>
#include <unordered_set>

namespace lathe::schedule {

namespace {

/// Depth-first; `enter` returns false to not go below. Recursion is over nesting only.
void walk(const Stmt& stmt, Path& path, const std::function<bool(const Path&)>& enter) {
    path.push_back(stmt);
    if (enter(path))
        for (const Stmt& child : tir::childrenOf(*stmt))
            walk(child, path, enter);
    path.pop_back();
}

Path findFirst(const Stmt& root, const std::function<bool(const Stmt&)>& matches) {
    Path found;
    Path path;
    walk(root, path, [&](const Path& at) {
        if (found.empty() && matches(at.back()))
            found = at;
        return found.empty() && !at.back()->as<tir::Block>();
    });
    return found;
}

/// The parent with one child replaced; null if nothing is left of it.
Stmt replaceChild(const Stmt& parent, const Stmt& from, const Stmt& to) {
    auto node = std::make_shared<tir::StmtNode>(*parent);
    auto swap = [&](Stmt& child) {
        if (child == from)
            child = to;
        return child != nullptr;
    };
    bool alive = std::visit(
        [&](auto& value) {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, tir::For> || std::is_same_v<T, tir::Let> || std::is_same_v<T, tir::While> ||
                          std::is_same_v<T, tir::Allocate> || std::is_same_v<T, tir::BindBuffer>) {
                return swap(value.body);
            } else if constexpr (std::is_same_v<T, tir::If>) {
                bool thenAlive = swap(value.thenCase);
                bool elseAlive = swap(value.elseCase);
                if (!thenAlive && elseAlive) {
                    value.condition = arith::logicalNot(value.condition);
                    std::swap(value.thenCase, value.elseCase);
                }
                return thenAlive || elseAlive;
            } else if constexpr (std::is_same_v<T, tir::Seq>) {
                std::erase_if(value.stmts, [&](Stmt& child) { return !swap(child); });
                return !value.stmts.empty();
            } else {
                LATHE_ASSERT(false, "this statement has no children to replace");
                return false;
            }
        },
        node->value);
    if (!alive)
        return nullptr;
    if (const auto* all = node->as<tir::Seq>())
        return tir::seq(all->stmts, parent->origin);
    return node;
}

void visitLoads(const Expr& expr, const std::function<void(const Expr&)>& fn) {
    if (expr)
        arith::visit(expr, [&](const Expr& node) {
            if (node.kind() == arith::ExprKind::Load)
                fn(node);
            return true;
        });
}

/// The loads and stores of this statement alone and, of a block, of all below it (its regions left out).
void visitOwnAccesses(const Stmt& stmt,
                      const std::function<void(const BufferPtr&, const std::vector<Expr>&, bool)>& fn) {
    auto load = [&](const Expr& expr) {
        visitLoads(expr, [&](const Expr& node) {
            fn(std::static_pointer_cast<const tir::Buffer>(node->storage), node->args, false);
        });
    };
    auto own = [&](const Stmt& one) {
        if (one->as<tir::Block>())
            return;
        for (const Expr& expr : tir::exprsOf(*one))
            load(expr);
        if (const auto* store = one->as<tir::Store>())
            fn(store->buffer, store->indices, true);
    };
    const auto* block = stmt->as<tir::Block>();
    if (!block) {
        own(stmt);
        return;
    }
    for (const tir::IterVar& iter : block->iters)
        load(iter.binding);
    load(block->predicate);
    for (const Stmt& part : {block->init, block->body})
        if (part)
            tir::visitStmts(part, [&](const Stmt& inner) {
                own(inner);
                return true;
            });
}

class AccessRewriter : public tir::Mutator {
public:
    const tir::Buffer* from;
    BufferPtr to;
    const std::function<std::vector<Expr>(const std::vector<Expr>&)>& fn;

    AccessRewriter(const tir::Buffer* from, BufferPtr to,
                   const std::function<std::vector<Expr>(const std::vector<Expr>&)>& fn)
        : from(from), to(std::move(to)), fn(fn) {}

    Expr mutate(const Expr& expr) override {
        if (!expr)
            return expr;
        return arith::rewrite(expr, [&](const Expr& node) {
            if (node.kind() != arith::ExprKind::Load || node->storage.get() != from)
                return node;
            std::vector<Expr> indices = node->args;
            Expr mask;
            if (node->masked) {
                mask = indices.back();
                indices.pop_back();
            }
            return mask ? arith::loadMasked(to, fn(indices), mask, node.dtype()) : arith::load(to, fn(indices));
        });
    }

    Stmt mutate(const Stmt& stmt) override {
        Stmt result = descend(stmt);
        if (const auto* store = result->as<tir::Store>(); store && store->buffer.get() == from) {
            tir::Store changed = *store;
            changed.buffer = to;
            changed.indices = fn(changed.indices);
            return tir::makeStmt(std::move(changed), result->origin);
        }
        if (const auto* block = result->as<tir::Block>()) {
            bool touched = false;
            for (const auto* regions : {&block->reads, &block->writes})
                for (const tir::Region& region : *regions)
                    touched = touched || region.buffer.get() == from;
            if (touched) {
                tir::Block changed = *block;
                refreshRegions(changed);
                return tir::makeStmt(std::move(changed), result->origin);
            }
        }
        return result;
    }
    using tir::Mutator::mutate;
};

} // namespace

Path findBlock(const Stmt& root, std::string_view name) {
    return findFirst(root, [&](const Stmt& stmt) {
        const auto* block = stmt->as<tir::Block>();
        return block && block->name == name;
    });
}

Path findLoop(const Stmt& root, const Var& loopVar) {
    return findFirst(root, [&](const Stmt& stmt) {
        const auto* loop = stmt->as<tir::For>();
        return loop && loop->var.same(loopVar);
    });
}

Path findAllocate(const Stmt& root, const tir::Buffer* buffer) {
    return findFirst(root, [&](const Stmt& stmt) {
        const auto* allocate = stmt->as<tir::Allocate>();
        return allocate && allocate->buffer.get() == buffer;
    });
}

std::vector<Path> findBlocks(const Stmt& root) {
    std::vector<Path> found;
    Path path;
    walk(root, path, [&](const Path& at) {
        if (!at.back()->as<tir::Block>())
            return true;
        found.push_back(at);
        return false;
    });
    return found;
}

bool contains(const Stmt& root, const tir::StmtNode* node) {
    return !findFirst(root, [&](const Stmt& stmt) { return stmt.get() == node; }).empty();
}

std::vector<const tir::For*> loopsOf(const Path& path) {
    std::vector<const tir::For*> loops;
    for (const Stmt& stmt : path)
        if (const auto* loop = stmt->as<tir::For>())
            loops.push_back(loop);
    return loops;
}

Stmt replaceAt(const Path& path, const Stmt& with) {
    Stmt current = with;
    for (size_t i = path.size() - 1; i-- > 0;)
        current = replaceChild(path[i], path[i + 1], current);
    return current;
}

Stmt insertBefore(const Path& path, const Stmt& stmt) {
    return replaceAt(path, tir::seq({stmt, path.back()}, path.back()->origin));
}

Stmt insertAfter(const Path& path, const Stmt& stmt) {
    return replaceAt(path, tir::seq({path.back(), stmt}, path.back()->origin));
}

Stmt withBlock(const Path& path, tir::Block block) {
    return replaceAt(path, tir::makeStmt(std::move(block), path.back()->origin));
}

Stmt wrap(std::vector<tir::For> loops, Stmt body, int origin) {
    for (size_t i = loops.size(); i-- > 0;) {
        loops[i].body = std::move(body);
        body = tir::makeStmt(std::move(loops[i]), origin);
    }
    return body;
}

std::vector<Access> accessesOf(const Stmt& root, const tir::Buffer* buffer) {
    std::vector<Access> found;
    Path path;
    walk(root, path, [&](const Path& at) {
        visitOwnAccesses(at.back(), [&](const BufferPtr& accessed, const std::vector<Expr>& indices, bool write) {
            if (accessed.get() == buffer)
                found.push_back(
                    {at, {indices.begin(), indices.begin() + static_cast<long>(buffer->shape.size())}, write});
        });
        return !at.back()->as<tir::Block>();
    });
    return found;
}

std::vector<BufferPtr> buffersIn(const Stmt& root) {
    std::vector<BufferPtr> found;
    std::unordered_set<const tir::Buffer*> seen;
    Path path;
    walk(root, path, [&](const Path& at) {
        visitOwnAccesses(at.back(), [&](const BufferPtr& buffer, const std::vector<Expr>&, bool) {
            if (seen.insert(buffer.get()).second)
                found.push_back(buffer);
        });
        return !at.back()->as<tir::Block>();
    });
    return found;
}

std::vector<Var> freeVarsOf(const Stmt& stmt) {
    arith::VarCollector free;
    tir::visitStmts(stmt, [&](const Stmt& inner) {
        if (const auto* loop = inner->as<tir::For>())
            free.leaveOut(loop->var);
        if (const auto* let = inner->as<tir::Let>())
            free.leaveOut(let->var);
        if (const auto* block = inner->as<tir::Block>())
            for (const tir::IterVar& iter : block->iters)
                free.leaveOut(iter.var);
        return true;
    });
    tir::visitExprs(stmt, [&](const Expr& expr) { free.add(expr); });
    return free.vars();
}

bool writes(const tir::Block& block, const tir::Buffer* buffer) {
    return std::ranges::any_of(block.writes, [&](const tir::Region& region) { return region.buffer.get() == buffer; });
}

bool reads(const tir::Block& block, const tir::Buffer* buffer) {
    return std::ranges::any_of(block.reads, [&](const tir::Region& region) { return region.buffer.get() == buffer; });
}

void refreshRegions(tir::Block& block) {
    std::unordered_set<const arith::ExprNode*> inner;
    std::unordered_set<const tir::Buffer*> own;
    for (const Stmt& part : {block.init, block.body})
        if (part)
            tir::visitStmts(part, [&](const Stmt& stmt) {
                if (const auto* loop = stmt->as<tir::For>())
                    inner.insert(loop->var.get());
                if (const auto* let = stmt->as<tir::Let>())
                    inner.insert(let->var.get());
                if (const auto* allocate = stmt->as<tir::Allocate>())
                    own.insert(allocate->buffer.get());
                return true;
            });
    auto fixed = [&](const Expr& index) {
        bool result = true;
        arith::visit(index, [&](const Expr& node) {
            result = result && node.kind() != arith::ExprKind::Load && !inner.contains(node.get());
            return result;
        });
        return result;
    };

    std::vector<tir::Region> readRegions, writeRegions;
    auto add = [&](std::vector<tir::Region>& regions, const BufferPtr& buffer, const std::vector<Expr>& indices) {
        tir::Region region{buffer, {}};
        for (size_t i = 0; i < buffer->shape.size(); ++i)
            region.ranges.push_back(fixed(indices[i]) ? std::pair<Expr, Expr>{indices[i], 1}
                                                      : std::pair<Expr, Expr>{0, buffer->shape[i]});
        bool known = std::ranges::any_of(regions, [&](const tir::Region& other) {
            return other.buffer == buffer && std::ranges::equal(other.ranges, region.ranges, [](auto& a, auto& b) {
                       return structurallyEqual(a.first, b.first) && structurallyEqual(a.second, b.second);
                   });
        });
        if (!known)
            regions.push_back(std::move(region));
    };
    Stmt all = tir::makeStmt(block, 0);
    visitOwnAccesses(all, [&](const BufferPtr& buffer, const std::vector<Expr>& indices, bool write) {
        if (!own.contains(buffer.get()))
            add(write ? writeRegions : readRegions, buffer, indices);
    });
    auto isOwnResult = [&](const tir::Region& region) {
        return std::ranges::any_of(writeRegions, [&](const tir::Region& w) { return w.buffer == region.buffer; });
    };
    std::vector<tir::Region> ownReads;
    std::ranges::copy_if(readRegions, std::back_inserter(ownReads), isOwnResult);
    std::erase_if(readRegions, isOwnResult);
    if (!block.init)
        std::ranges::move(ownReads, std::back_inserter(readRegions));
    block.reads = std::move(readRegions);
    block.writes = std::move(writeRegions);
}

const tir::Store* soleStore(const tir::Block& block) {
    const tir::StmtNode* node = block.body.get();
    if (const auto* guard = node->as<tir::If>(); guard && !guard->elseCase)
        node = guard->thenCase.get();
    return node->as<tir::Store>();
}

Stmt rewriteAccesses(const Stmt& root, const tir::Buffer* from, const BufferPtr& to,
                     const std::function<std::vector<Expr>(const std::vector<Expr>&)>& fn) {
    return AccessRewriter(from, to, fn).mutate(root);
}

bool reducesAlong(const tir::Block& block, const Var& loopVar) {
    return std::ranges::any_of(block.iters, [&](const tir::IterVar& iter) {
        return iter.kind != tir::IterKind::Spatial && arith::mentions(iter.binding, loopVar);
    });
}

bool spatialAlong(const tir::Block& block, const Var& loopVar) {
    return std::ranges::any_of(block.iters, [&](const tir::IterVar& iter) {
        return iter.kind == tir::IterKind::Spatial && arith::mentions(iter.binding, loopVar);
    });
}

} // namespace lathe::schedule
