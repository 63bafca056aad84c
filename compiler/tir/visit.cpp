// SPDX-License-Identifier: Apache-2.0
//
// Walking and rewriting loop IR: each statement's expressions and children are listed in one place, and rebuilt in one.
#include "tir/visit.h"

namespace lathe::tir {
namespace {

template <class... Fns>
struct Overloaded : Fns... {
    using Fns::operator()...;
};

void addIfSet(std::vector<Expr>& out, const Expr& expr) {
    if (expr)
        out.push_back(expr);
}

void addBuffer(std::vector<Expr>& out, const Buffer& buffer) {
    out.insert(out.end(), buffer.shape.begin(), buffer.shape.end());
    out.insert(out.end(), buffer.strides.begin(), buffer.strides.end());
    addIfSet(out, buffer.offset);
}

void addRegions(std::vector<Expr>& out, const std::vector<Region>& regions) {
    for (const Region& region : regions)
        for (const auto& [start, extent] : region.ranges) {
            out.push_back(start);
            out.push_back(extent);
        }
}

} // namespace

std::vector<Expr> exprsOf(const StmtNode& stmt) {
    std::vector<Expr> out;
    std::visit(Overloaded{
                   [&](const For& loop) { out = {loop.min, loop.extent}; },
                   [&](const Block& block) {
                       for (const IterVar& iter : block.iters) {
                           out.push_back(iter.extent);
                           addIfSet(out, iter.binding);
                       }
                       addIfSet(out, block.predicate);
                       addRegions(out, block.reads);
                       addRegions(out, block.writes);
                   },
                   [&](const Store& store) {
                       out = store.indices;
                       out.push_back(store.value);
                       addIfSet(out, store.mask);
                   },
                   [&](const Let& let) { out = {let.value}; },
                   [&](const If& branch) { out = {branch.condition}; },
                   [&](const While& loop) { out = {loop.condition}; },
                   [&](const Seq&) {},
                   [&](const Allocate& allocate) { addBuffer(out, *allocate.buffer); },
                   [&](const Check& check) { out = {check.condition}; },
                   [&](const Evaluate& evaluate) { out = {evaluate.value}; },
                   [&](const CallKernel& call) { out = call.args; },
                   [&](const BindBuffer& bind) {
                       addBuffer(out, *bind.buffer);
                       out.push_back(bind.address);
                   },
               },
               stmt.value);
    return out;
}

std::vector<Stmt> childrenOf(const StmtNode& stmt) {
    std::vector<Stmt> out;
    auto add = [&](const Stmt& child) {
        if (child)
            out.push_back(child);
    };
    std::visit(Overloaded{
                   [&](const For& loop) { add(loop.body); },
                   [&](const Block& block) {
                       add(block.init);
                       add(block.body);
                   },
                   [&](const Let& let) { add(let.body); },
                   [&](const If& branch) {
                       add(branch.thenCase);
                       add(branch.elseCase);
                   },
                   [&](const While& loop) { add(loop.body); },
                   [&](const Seq& list) { out = list.stmts; },
                   [&](const Allocate& allocate) { add(allocate.body); },
                   [&](const BindBuffer& bind) { add(bind.body); },
                   [&](const auto&) {},
               },
               stmt.value);
    return out;
}

void visitStmts(const Stmt& stmt, const std::function<bool(const Stmt&)>& fn) {
    std::vector<Stmt> pending;
    if (stmt)
        pending.push_back(stmt);
    while (!pending.empty()) {
        Stmt current = std::move(pending.back());
        pending.pop_back();
        if (!fn(current))
            continue;
        std::vector<Stmt> children = childrenOf(*current);
        pending.insert(pending.end(), std::make_move_iterator(children.rbegin()),
                       std::make_move_iterator(children.rend()));
    }
}

void visitExprs(const Stmt& stmt, const std::function<void(const Expr&)>& fn) {
    visitStmts(stmt, [&](const Stmt& current) {
        for (const Expr& expr : exprsOf(*current))
            fn(expr);
        return true;
    });
}

Stmt Mutator::mutate(const Stmt& stmt) {
    return descend(stmt);
}

Expr Mutator::mutate(const Expr& expr) {
    return expr;
}

namespace {

/// Applies a Mutator to the parts of one statement and remembers whether any of them changed.
class Parts {
public:
    explicit Parts(Mutator& mutator) : mutator_(mutator) {}

    void apply(Expr& expr) {
        if (!expr)
            return;
        Expr result = mutator_.mutate(expr);
        changed_ = changed_ || !result.same(expr);
        expr = std::move(result);
    }

    void apply(std::vector<Expr>& exprs) {
        for (Expr& expr : exprs)
            apply(expr);
    }

    void apply(Stmt& stmt) {
        if (!stmt)
            return;
        Stmt result = mutator_.mutate(stmt);
        changed_ = changed_ || result != stmt;
        stmt = std::move(result);
    }

    void apply(BufferPtr& buffer) {
        BufferPtr result = mutator_.mutate(buffer);
        changed_ = changed_ || result != buffer;
        buffer = std::move(result);
    }

    void apply(std::vector<Region>& regions) {
        for (Region& region : regions) {
            apply(region.buffer);
            for (auto& [start, extent] : region.ranges) {
                apply(start);
                apply(extent);
            }
        }
    }

    bool changed() const { return changed_; }

private:
    Mutator& mutator_;
    bool changed_ = false;
};

} // namespace

Stmt Mutator::descend(const Stmt& stmt) {
    if (!stmt)
        return stmt;
    Parts parts(*this);
    auto value = stmt->value;
    std::visit(Overloaded{
                   [&](For& loop) {
                       parts.apply(loop.min);
                       parts.apply(loop.extent);
                       parts.apply(loop.body);
                   },
                   [&](Block& block) {
                       for (IterVar& iter : block.iters) {
                           parts.apply(iter.extent);
                           parts.apply(iter.binding);
                       }
                       parts.apply(block.predicate);
                       parts.apply(block.reads);
                       parts.apply(block.writes);
                       parts.apply(block.init);
                       parts.apply(block.body);
                   },
                   [&](Store& store) {
                       parts.apply(store.buffer);
                       parts.apply(store.indices);
                       parts.apply(store.value);
                       parts.apply(store.mask);
                   },
                   [&](Let& let) {
                       parts.apply(let.value);
                       parts.apply(let.body);
                   },
                   [&](If& branch) {
                       parts.apply(branch.condition);
                       parts.apply(branch.thenCase);
                       parts.apply(branch.elseCase);
                   },
                   [&](While& loop) {
                       parts.apply(loop.condition);
                       parts.apply(loop.body);
                   },
                   [&](Seq& list) {
                       for (Stmt& child : list.stmts)
                           parts.apply(child);
                   },
                   [&](Allocate& allocate) {
                       parts.apply(allocate.buffer);
                       parts.apply(allocate.body);
                   },
                   [&](Check& check) { parts.apply(check.condition); },
                   [&](Evaluate& evaluate) { parts.apply(evaluate.value); },
                   [&](CallKernel& call) { parts.apply(call.args); },
                   [&](BindBuffer& bind) {
                       parts.apply(bind.address);
                       parts.apply(bind.buffer);
                       parts.apply(bind.body);
                   },
               },
               value);
    if (!parts.changed())
        return stmt;
    if (Seq* list = std::get_if<Seq>(&value))
        return seq(std::move(list->stmts), stmt->origin);
    auto node = std::make_shared<StmtNode>();
    node->value = std::move(value);
    node->origin = stmt->origin;
    return node;
}

namespace {

/// Replaces Vars, and with them the buffers whose declared shape mentions one.
class Substituter : public Mutator {
public:
    explicit Substituter(const arith::VarMap& vars) : vars_(vars) {}

    Stmt mutate(const Stmt& stmt) override {
        if (const auto* allocate = stmt->as<Allocate>())
            redeclare(allocate->buffer);
        else if (const auto* bind = stmt->as<BindBuffer>())
            redeclare(bind->buffer);
        return descend(stmt);
    }

    Expr mutate(const Expr& expr) override {
        return arith::rewrite(expr, [&](const Expr& node) { return replaceNode(node); });
    }

    BufferPtr mutate(const BufferPtr& buffer) override {
        auto found = buffers_.find(buffer.get());
        return found == buffers_.end() ? buffer : found->second;
    }

private:
    Expr replaceNode(const Expr& node) {
        if (node.kind() == arith::ExprKind::Var) {
            auto found = vars_.find(node.get());
            return found == vars_.end() ? node : found->second;
        }
        if (node.kind() != arith::ExprKind::Load)
            return node;
        auto found = buffers_.find(node->storage.get());
        if (found == buffers_.end() || found->second == node->storage)
            return node;
        std::vector<Expr> args = node->args;
        if (!node->masked)
            return arith::load(found->second, std::move(args));
        Expr mask = std::move(args.back());
        args.pop_back();
        return arith::loadMasked(found->second, std::move(args), std::move(mask), node.dtype());
    }

    void redeclare(const BufferPtr& buffer) {
        if (buffers_.contains(buffer.get()))
            return;
        auto copy = std::make_shared<Buffer>(*buffer);
        bool changed = false;
        auto apply = [&](Expr& expr) {
            if (!expr)
                return;
            Expr result = mutate(expr);
            changed = changed || !result.same(expr);
            expr = std::move(result);
        };
        for (Expr& extent : copy->shape)
            apply(extent);
        for (Expr& stride : copy->strides)
            apply(stride);
        apply(copy->offset);
        if (changed)
            buffers_[buffer.get()] = std::move(copy);
    }

    const arith::VarMap& vars_;
    std::unordered_map<const arith::Storage*, BufferPtr> buffers_;
};

} // namespace

Stmt substitute(const Stmt& stmt, const arith::VarMap& map) {
    return stmt && !map.empty() ? Substituter(map).mutate(stmt) : stmt;
}

} // namespace lathe::tir
