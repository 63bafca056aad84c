// SPDX-License-Identifier: Apache-2.0
//
// See storage_rewrite.h. Time counts statements in program order.
#include "tir/transform/storage_rewrite.h"

#include "arith/analysis.h"
#include "tir/visit.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace lathe::tir {
namespace {

struct Life {
    BufferPtr buffer;
    Expr bytes;
    Expr offset;
    int first = -1, last = -1;
};

bool isWorkspace(const BindBuffer& bind) {
    return bind.buffer->scope == Scope::Workspace;
}

class Lives {
public:
    explicit Lives(const PrimFunc& function) {
        for (const Param& param : function.params)
            if (!param.buffer)
                scalars_.insert(param.scalar.get());
        walk(function.body, {});
    }

    std::vector<Life> lives;
    bool movable = true; // all offsets are over the parameters

private:
    std::unordered_set<const arith::ExprNode*> scalars_;
    std::unordered_map<const arith::Storage*, size_t> index_;
    int time_ = 0;

    /// `around`: for each loop around, its first time and how many buffers were bound outside of it.
    struct LoopAround {
        int begin;
        size_t bound;
    };

    void use(const arith::Storage* storage, const std::vector<LoopAround>& around) {
        auto found = index_.find(storage);
        if (found == index_.end())
            return;
        Life& life = lives[found->second];
        int first = time_;
        for (auto it = around.rbegin(); it != around.rend(); ++it)
            if (found->second < it->bound)
                first = it->begin;
        life.first = life.first < 0 ? first : std::min(life.first, first);
        life.last = std::max(life.last, time_);
        used_.push_back(found->second);
    }

    std::vector<size_t> used_; // in the loops around, to extend lives to their ends

    void walk(const Stmt& stmt, std::vector<LoopAround> around) {
        if (!stmt)
            return;
        ++time_;
        if (const BindBuffer* bind = stmt->as<BindBuffer>(); bind && isWorkspace(*bind)) {
            Expr bytes =
                arith::ceilDiv(bind->buffer->shape[0] * Expr(std::max(1, bind->buffer->dtype.bytes())), Expr(64)) *
                Expr(64);
            for (const Var& var : arith::freeVars(bind->address))
                movable = movable && scalars_.contains(var.get());
            movable = movable && around.empty(); // the same memory in each iteration needs no second look
            index_[bind->buffer.get()] = lives.size();
            lives.push_back({bind->buffer, arith::simplify(bytes), {}, -1, -1});
        }
        if (const Store* store = stmt->as<Store>())
            use(store->buffer.get(), around);
        for (const Expr& root : exprsOf(*stmt))
            arith::visit(root, [&](const Expr& e) {
                if (e.kind() == arith::ExprKind::Load)
                    use(e->storage.get(), around);
                return true;
            });
        const bool loop = stmt->as<For>() || stmt->as<While>();
        const size_t before = used_.size();
        if (loop)
            around.push_back({time_, lives.size()});
        for (const Stmt& child : childrenOf(*stmt))
            walk(child, around);
        if (loop)
            for (size_t i = before; i < used_.size(); ++i)
                lives[used_[i]].last = std::max(lives[used_[i]].last, time_);
    }
};

class Moving : public Mutator {
public:
    explicit Moving(const std::vector<Life>& lives) {
        for (const Life& life : lives)
            offsets_[life.buffer.get()] = life.offset;
    }
    using Mutator::mutate;
    Stmt mutate(const Stmt& stmt) override {
        Stmt inner = descend(stmt);
        const BindBuffer* bind = inner ? inner->as<BindBuffer>() : nullptr;
        if (!bind || !isWorkspace(*bind))
            return inner;
        BindBuffer moved = *bind;
        moved.address = arith::call(arith::Intrinsic::PtrOffset,
                                    {bind->address->args[0], offsets_.at(bind->buffer.get())}, types::Handle);
        return makeStmt(std::move(moved), inner->origin);
    }

private:
    std::unordered_map<const arith::Storage*, Expr> offsets_;
};

} // namespace

Flattened storageRewrite(const Flattened& flattened) {
    Lives found(*flattened.function);
    std::vector<Life>& lives = found.lives;
    if (lives.size() < 2 || !found.movable)
        return flattened;
    std::vector<size_t> order(lives.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::ranges::sort(order, {}, [&](size_t i) { return std::pair(lives[i].first, i); });
    struct Slot {
        Expr offset, bytes;
        int freeAfter;
    };
    std::vector<Slot> slots;
    Expr total(0);
    for (size_t i : order) {
        Life& life = lives[i];
        Slot* taken = nullptr;
        for (Slot& slot : slots)
            if (slot.freeAfter < life.first && arith::provablyTrue(arith::le(life.bytes, slot.bytes))) {
                taken = &slot;
                break;
            }
        if (!taken) {
            taken = &slots.emplace_back(total, life.bytes, -1);
            total = arith::simplify(total + life.bytes);
        }
        taken->freeAfter = life.last;
        life.offset = taken->offset;
    }
    auto function = std::make_shared<PrimFunc>(*flattened.function);
    function->body = Moving(lives).mutate(function->body);
    return {function, total};
}

} // namespace lathe::tir
