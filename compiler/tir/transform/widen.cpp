// SPDX-License-Identifier: Apache-2.0
//
// See vectorize_loops.h for what becomes what. `Lanes` rewrites expressions under the current mask, `Widening` the
// statements. The first thing that has no vector form ends it all.
#include "tir/transform/widen.h"

#include "tir/accumulation.h"
#include "tir/transform/flatten_buffers.h"
#include "tir/transform/loop_facts.h"
#include "tir/visit.h"

#include <algorithm>
#include <unordered_set>

namespace lathe::tir {
namespace {

using arith::ExprKind;
using arith::Intrinsic;

class Lanes {
public:
    Lanes(const Var& var, Expr min, int lanes, const arith::Facts& facts)
        : facts(facts), var_(var), min_(std::move(min)), lanes_(lanes) {}

    bool failed = false;
    bool scalarLoads = false; // a load under the mask that is the same for all lanes
    Expr mask;                // which lanes run this statement; null: all
    arith::Facts facts;
    std::unordered_map<const arith::ExprNode*, Expr> varying;     // Lets whose value differs by lane
    std::unordered_map<const arith::Storage*, BufferPtr> perLane; // Local buffers with a place for each lane

    bool varies(const Expr& expr) {
        if (const std::pair given(varying.size(), perLane.size()); given != answeredFor_) { // both only grow
            answers_.clear();
            answeredFor_ = given;
        }
        return answer(expr);
    }

    Expr wide(const Expr& e) const { return e.dtype().lanes == lanes_ ? e : arith::broadcast(e, lanes_); }

    /// The expression for all lanes: a vector if it varies, else a scalar.
    Expr operator()(const Expr& expr) {
        memo_.assign(1, {});
        answers_.clear();
        return rewrite(expr);
    }

    /// Index of an access for all lanes.
    Expr index(const arith::Storage* storage, const Expr& scalar) {
        if (memo_.empty())
            memo_.emplace_back();
        Expr result = affine(scalar);
        if (!result)
            result = rewrite(scalar);
        if (!perLane.contains(storage))
            return result;
        if (result.dtype().lanes == 1)
            return arith::ramp(arith::simplify(result * Expr(lanes_), facts), Expr(1), lanes_);
        return result * arith::broadcast(Expr(lanes_), lanes_) + arith::ramp(Expr(0), Expr(1), lanes_);
    }

private:
    Var var_;
    Expr min_;
    int lanes_;
    bool inSelect_ = false; // in a side of a select: its condition is in the mask
    std::vector<std::unordered_map<const arith::ExprNode*, Expr>> memo_;
    /// Each expression that was asked about, which is kept so that no other takes its place, and whether it varies: the
    /// question comes up at every node of an expression, and its answer follows from those about the node's operands.
    std::unordered_map<const arith::ExprNode*, std::pair<Expr, bool>> answers_;
    std::pair<size_t, size_t> answeredFor_{0, 0}; // what varying and perLane held

    bool answer(const Expr& expr) {
        if (const auto known = answers_.find(expr.get()); known != answers_.end())
            return known->second.second;
        const bool found = expr.same(var_) || varying.contains(expr.get()) ||
                           (expr.kind() == ExprKind::Load && perLane.contains(expr->storage.get())) ||
                           std::ranges::any_of(expr->args, [&](const Expr& arg) { return answer(arg); });
        answers_.try_emplace(expr.get(), expr, found);
        return found;
    }

    /// base + k * lane, if the index is that; the scalar itself if it does not vary and needs no mask. What all lanes share
    /// is loaded once, but in a side of a select: it may be valid only for the lanes that take that.
    Expr affine(const Expr& scalar) {
        if (!varies(scalar))
            return inSelect_ && readsMemory(scalar) ? Expr() : scalar;
        const Var vars[] = {var_};
        std::optional<arith::Affine> form = arith::asAffine(arith::simplify(scalar, facts), vars);
        if (!form || varies(form->base) || varies(form->coefficients[0]))
            return {};
        const bool reads = readsMemory(form->base) || readsMemory(form->coefficients[0]);
        if (reads && inSelect_)
            return {};
        scalarLoads = scalarLoads || reads;
        Expr stride = arith::simplify(form->coefficients[0], facts);
        if (arith::isConst(stride, 0))
            return form->base;
        return arith::ramp(arith::simplify(form->base + stride * min_, facts), stride, lanes_);
    }

    Expr rewrite(const Expr& expr) {
        for (size_t i = memo_.size(); i-- > 0;) {
            auto known = memo_[i].find(expr.get());
            if (known != memo_[i].end())
                return known->second;
        }
        Expr result = failed ? expr : compute(expr);
        memo_.back()[expr.get()] = result;
        return result;
    }

    Expr compute(const Expr& expr) {
        const DataType type = expr.dtype().withLanes(lanes_);
        if (expr.dtype().lanes > 1)
            return fail(expr);
        if (!varies(expr))
            if (const bool reads = readsMemory(expr); !reads || !inSelect_) {
                scalarLoads = scalarLoads || reads;
                return expr;
            }
        if (expr.same(var_))
            return arith::ramp(min_, Expr(1), lanes_);
        auto let = varying.find(expr.get());
        if (let != varying.end())
            return let->second;
        if (expr.dtype().isIndex())
            if (Expr ramp = affine(expr))
                return ramp;
        switch (expr.kind()) {
        case ExprKind::Load:
            return load(expr);
        case ExprKind::Select:
            return select(expr);
        case ExprKind::Call:
            if (expr->intrinsic >= Intrinsic::ReduceAdd) // horizontal, addresses, effects
                return fail(expr);
            return arith::call(expr->intrinsic, wideArgs(expr), type);
        case ExprKind::Cast:
            return arith::cast(wide(rewrite(expr->args[0])), type);
        case ExprKind::Ramp:
        case ExprKind::Broadcast:
            return fail(expr);
        default: {
            std::vector<Expr> args = wideArgs(expr);
            return failed ? expr : arith::make(expr.kind(), std::move(args), type);
        }
        }
    }

    Expr fail(const Expr& expr) {
        failed = true;
        return expr;
    }

    std::vector<Expr> wideArgs(const Expr& expr) {
        std::vector<Expr> args;
        for (const Expr& arg : expr->args)
            args.push_back(wide(rewrite(arg)));
        return args;
    }

    Expr load(const Expr& expr) {
        if (expr->masked || expr->args.size() != 1)
            return fail(expr);
        Expr at = index(expr->storage.get(), expr->args[0]);
        auto own = perLane.find(expr->storage.get());
        if (own != perLane.end())
            return arith::load(own->second, {at});
        if (mask)
            return arith::loadMasked(expr->storage, {at}, mask, expr.dtype().withLanes(lanes_));
        return arith::load(expr->storage, {at});
    }

    /// Loads in a side happen for the lanes that take it. What the condition has loaded already needs no mask.
    Expr select(const Expr& expr) {
        Expr condition = rewrite(expr->args[0]);
        if (failed)
            return expr;
        if (condition.dtype().lanes == 1 && !readsMemory(expr->args[1]) && !readsMemory(expr->args[2]))
            return arith::select(wide(condition), wide(rewrite(expr->args[1])), wide(rewrite(expr->args[2])));
        condition = wide(condition);
        Expr a = side(expr->args[1], condition);
        Expr b = side(expr->args[2], arith::logicalNot(condition));
        return failed ? expr : arith::select(condition, a, b);
    }

    Expr side(const Expr& expr, const Expr& condition) {
        Expr outerMask = mask;
        bool outer = std::exchange(inSelect_, true);
        mask = mask ? arith::logicalAnd(mask, condition) : condition;
        memo_.emplace_back();
        Expr result = wide(rewrite(expr));
        memo_.pop_back();
        mask = outerMask;
        inSelect_ = outer;
        return result;
    }
};

/// Does one lane touch what another writes? Looks at every pair of a store and an access of the same buffer.
class Independence {
public:
    Independence(const Stmt& body, const Var& var, int lanes, const arith::Facts& facts)
        : var_(var), lanes_(lanes), facts_(facts) {
        visitStmts(body, [&](const Stmt& stmt) {
            if (const For* loop = stmt->as<For>()) {
                bindLoop(facts_, *loop);
                inner_.insert(loop->var.get());
            } else if (const Let* let = stmt->as<Let>()) {
                inner_.insert(let->var.get());
                lets_.insert(let->var.get());
            } else if (const Allocate* allocate = stmt->as<Allocate>()) {
                local_.insert(allocate->buffer.get());
            } else if (const Store* store = stmt->as<Store>()) {
                stores_.push_back(
                    {store->buffer.get(), store->indices[0], store->value, asAccumulation(*store).has_value()});
            }
            return true;
        });
        visitExprs(body, [&](const Expr& root) {
            arith::visit(root, [&](const Expr& e) {
                if (e.kind() == ExprKind::Load)
                    loads_.push_back({e->storage.get(), e->args[0], {}, false});
                return true;
            });
        });
    }

    bool holds() {
        for (const Access& store : stores_) {
            if (local_.contains(store.storage))
                continue;
            if (!arith::mentions(store.index, var_) && !repeatable(store) && !combines(store))
                return false;
            for (const Access& other : stores_)
                if (other.storage == store.storage && !apart(store, other))
                    return false;
            for (const Access& other : loads_)
                if (other.storage == store.storage && !apart(store, other))
                    return false;
        }
        return true;
    }

private:
    struct Access {
        const arith::Storage* storage;
        Expr index;
        Expr value; // of a store
        bool accumulates;
    };
    Var var_;
    int lanes_;
    arith::Facts facts_;
    std::unordered_set<const arith::ExprNode*> inner_; // defined within
    std::unordered_set<const arith::ExprNode*> lets_;  // of these, what may differ from lane to lane
    std::unordered_set<const arith::Storage*> local_;
    std::vector<Access> stores_, loads_;

    /// A store to one element may run once instead of once a lane if it stores the same each time.
    bool repeatable(const Access& store) {
        bool same = !arith::mentions(store.value, var_);
        arith::visit(store.value, [&](const Expr& e) {
            if (e.kind() == ExprKind::Load)
                for (const Access& other : stores_)
                    same = same && other.storage != e->storage.get();
            return same;
        });
        return same;
    }

    /// Lanes that add to one element can be combined before, if nothing else sees what is in between.
    bool combines(const Access& store) {
        const auto same = [&](const Access& other) { return other.storage == store.storage; };
        return store.accumulates && !readsMemory(store.index) &&
               std::ranges::none_of(arith::freeVars(store.index),
                                    [&](const Var& var) { return lets_.contains(var.get()); }) &&
               std::ranges::count_if(stores_, same) == 1 && std::ranges::count_if(loads_, same) == 1;
    }

    bool apart(const Access& a, const Access& b) {
        if (!arith::mentions(a.index, var_) && !arith::mentions(b.index, var_))
            return true;
        const Var vars[] = {var_};
        std::optional<arith::Affine> fa = arith::asAffine(arith::simplify(a.index, facts_), vars);
        std::optional<arith::Affine> fb = arith::asAffine(arith::simplify(b.index, facts_), vars);
        if (!fa || !fb || readsMemory(fa->base) || readsMemory(fb->base))
            return false;
        std::optional<int64_t> ka = arith::asInt(arith::simplify(fa->coefficients[0], facts_));
        std::optional<int64_t> kb = arith::asInt(arith::simplify(fb->coefficients[0], facts_));
        const bool sameCoefficient = arith::provablyEqual(fa->coefficients[0], fb->coefficients[0], facts_);
        // The two may be in different iterations of loops inside.
        arith::VarMap other;
        for (const Var& var : arith::freeVars(fb->base))
            if (inner_.contains(var.get())) {
                Var renamed = arith::var(var->name);
                facts_.bind(renamed, arith::bounds(var, facts_));
                other[var.get()] = renamed;
            }
        Expr difference = arith::simplify(arith::substitute(fb->base, other) - fa->base, facts_);
        if (sameCoefficient && arith::isConst(difference, 0))
            return !ka || *ka != 0;
        if (!ka || !kb || *ka != *kb || *ka == 0)
            return false;
        // Two lanes meet where the difference is a multiple of the step, not 0, and nearer to 0 than all lanes reach.
        const int64_t span = std::abs(*ka) * lanes_;
        const arith::Interval range = arith::bounds(difference, facts_);
        if (range.lower >= span || range.upper <= -span)
            return true;
        const arith::Congruence known =
            range.isPoint() ? arith::Congruence{0, range.lower} : arith::congruence(difference, facts_);
        if (known.modulus % *ka == 0 && known.remainder % *ka != 0)
            return true;
        if (known.modulus == 0)
            return known.remainder == 0 || std::abs(known.remainder) >= span;
        return known.remainder == 0 ? known.modulus >= span
                                    : std::min(known.remainder, known.modulus - known.remainder) >= span;
    }
};

class Widening {
public:
    Widening(const Var& var, const Expr& min, int lanes, const arith::Facts& facts)
        : lanes_(var, min, lanes, facts), count_(lanes) {}

    Stmt run(const Stmt& body) {
        Stmt result = stmt(body);
        return lanes_.failed ? nullptr : result;
    }

private:
    Lanes lanes_;
    int count_;
    bool scalarStores_ = false; // a store under the mask that is the same for all lanes

    Stmt fail() {
        lanes_.failed = true;
        return nullptr;
    }

    Stmt stmt(const Stmt& node) {
        if (!node || lanes_.failed)
            return node;
        const int origin = node->origin;
        if (const Seq* list = node->as<Seq>()) {
            std::vector<Stmt> stmts;
            for (const Stmt& s : list->stmts)
                stmts.push_back(stmt(s));
            return seq(std::move(stmts), origin);
        }
        if (const Store* store = node->as<Store>())
            return widenStore(*store, origin);
        if (const For* loop = node->as<For>()) {
            if (lanes_.varies(loop->min) || lanes_.varies(loop->extent))
                return fail();
            bindLoop(lanes_.facts, *loop);
            For result = *loop;
            lanes_.scalarLoads = lanes_.scalarLoads || readsMemory(loop->min) || readsMemory(loop->extent);
            result.body = stmt(loop->body);
            return makeStmt(std::move(result), origin);
        }
        if (const Let* let = node->as<Let>()) {
            Expr value = lanes_(let->value);
            if (value.dtype().lanes == 1)
                return makeStmt(Let{let->var, value, stmt(let->body)}, origin);
            Var wide = arith::var(let->var->name, value.dtype());
            lanes_.varying[let->var.get()] = wide;
            return makeStmt(Let{wide, value, stmt(let->body)}, origin);
        }
        if (const If* branch = node->as<If>())
            return widenIf(*branch, origin);
        if (const Allocate* allocate = node->as<Allocate>()) {
            const BufferPtr& buffer = allocate->buffer;
            if (buffer->scope == Scope::Workspace || buffer->shape.size() != 1)
                return fail();
            auto wide = std::make_shared<Buffer>(*buffer);
            wide->shape[0] = arith::simplify(buffer->shape[0] * Expr(count_));
            std::optional<int64_t> elements = arith::asInt(wide->shape[0]);
            if (!elements || *elements * buffer->dtype.bytes() > localBytes)
                return fail();
            lanes_.perLane[buffer.get()] = wide;
            return makeStmt(Allocate{wide, stmt(allocate->body)}, origin);
        }
        if (const Check* check = node->as<Check>())
            return lanes_.varies(check->condition) || lanes_.mask ? fail() : node;
        return fail();
    }

    Stmt widenStore(const Store& store, int origin) {
        if (store.mask || store.indices.size() != 1 || store.value.dtype().lanes > 1)
            return fail();
        Expr value = lanes_(store.value);
        Expr index = lanes_.index(store.buffer.get(), store.indices[0]);
        auto own = lanes_.perLane.find(store.buffer.get());
        BufferPtr buffer = own == lanes_.perLane.end() ? store.buffer : own->second;
        if (index.dtype().lanes == 1 && (value.dtype().lanes > 1 || asAccumulation(store)))
            return combined(store, buffer, index, origin);
        if (index.dtype().lanes == 1) {
            scalarStores_ = true;
            return makeStmt(Store{buffer, {index}, value, Expr()}, origin);
        }
        return makeStmt(Store{buffer, {index}, lanes_.wide(value), lanes_.mask}, origin);
    }

    Stmt combined(const Store& store, const BufferPtr& buffer, const Expr& index, int origin) {
        const std::optional<Accumulation> accumulation = asAccumulation(store);
        const DataType type = store.value.dtype();
        if (!accumulation || lanes_.mask || (type != types::Float32 && type != types::Float64))
            return fail();
        const Expr value = horizontal(accumulation->combine, lanes_.wide(lanes_(accumulation->value)));
        return makeStmt(
            Store{buffer, {index}, arith::binary(accumulation->combine, arith::load(buffer, {index}), value), Expr()},
            origin);
    }

    Stmt widenIf(const If& branch, int origin) {
        Expr condition = lanes_(branch.condition);
        if (lanes_.failed)
            return nullptr;
        if (condition.dtype().lanes == 1) {
            Stmt thenCase = stmt(branch.thenCase);
            return makeStmt(If{condition, thenCase, stmt(branch.elseCase)}, origin);
        }
        std::vector<Stmt> cases{underMask(branch.thenCase, condition, origin)};
        if (branch.elseCase)
            cases.push_back(underMask(branch.elseCase, arith::logicalNot(condition), origin));
        return seq(std::move(cases), origin);
    }

    /// What all lanes share may run only if at least one lane does.
    Stmt underMask(const Stmt& node, const Expr& condition, int origin) {
        Expr outer = lanes_.mask;
        bool loads = std::exchange(lanes_.scalarLoads, false), stores = std::exchange(scalarStores_, false);
        lanes_.mask = outer ? arith::logicalAnd(outer, condition) : condition;
        Stmt result = stmt(node);
        if (lanes_.scalarLoads || scalarStores_)
            result =
                makeStmt(If{arith::call(Intrinsic::ReduceMax, {lanes_.mask}, types::Bool), result, nullptr}, origin);
        lanes_.mask = outer;
        lanes_.scalarLoads = loads;
        scalarStores_ = stores;
        return result;
    }
};

} // namespace

bool lanesIndependent(const Stmt& body, const Var& var, int lanes, const arith::Facts& facts) {
    return Independence(body, var, lanes, facts).holds();
}

Stmt widen(const Stmt& body, const Var& var, const Expr& min, int lanes, const arith::Facts& facts) {
    return Widening(var, min, lanes, facts).run(body);
}

} // namespace lathe::tir
