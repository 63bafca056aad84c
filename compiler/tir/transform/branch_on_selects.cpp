// SPDX-License-Identifier: Apache-2.0
//
// See branch_on_selects.h. Indices in a branch are left as they are: simplification under the branch's facts comes next.
#include "tir/transform/branch_on_selects.h"

#include "tir/structure.h"
#include "tir/transform/loop_facts.h"
#include "tir/visit.h"

#include <algorithm>
#include <span>

namespace lathe::tir {
namespace {

constexpr int64_t mostStores = 128;  // that one store may become
constexpr int64_t mostNodes = 4096;  // of the expressions that they store
constexpr int64_t symbolShare = 16;  // of that, where symbols keep conditions open: each border repeats the sides left
constexpr size_t mostConditions = 8; // parts of one condition

int64_t nodesOf(const Expr& expr) {
    int64_t count = 0;
    arith::visit(expr, [&](const Expr&) { return ++count > 0; });
    return count;
}

bool isSelectBy(const Expr& expr, const Expr& condition) {
    return expr.kind() == arith::ExprKind::Select && arith::structurallyEqual(expr->args[0], condition);
}

/// Every select by this condition is one of its sides.
Expr decided(const Expr& value, const Expr& condition, bool holds) {
    return arith::rewrite(value, [&](const Expr& e) { return isSelectBy(e, condition) ? e->args[holds ? 1 : 2] : e; });
}

/// Every select by this condition is one by another.
Expr asking(const Expr& value, const Expr& condition, const Expr& other) {
    return arith::rewrite(value, [&](const Expr& e) {
        return isSelectBy(e, condition) ? arith::select(other, e->args[1], e->args[2]) : e;
    });
}

/// Sides of the selects, each simplified by what holds where it is chosen.
Expr withinSides(const Expr& value, const arith::Facts& facts) {
    return arith::rewrite(value, [&](const Expr& e) {
        if (e.kind() != arith::ExprKind::Select || e.dtype().lanes != 1 || readsMemory(e->args[0]))
            return e;
        arith::Facts chosen = facts, other = facts;
        assume(chosen, e->args[0]);
        if (arith::conjuncts(e->args[0]).size() == 1)
            assume(other, negation(e->args[0]));
        return arith::select(e->args[0], arith::simplify(e->args[1], chosen), arith::simplify(e->args[2], other));
    });
}

class Branching : public Mutator {
public:
    explicit Branching(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

    using Mutator::mutate;
    Stmt mutate(const Stmt& stmt) override {
        if (!stmt)
            return stmt;
        if (checkpoint_)
            checkpoint_();
        if (const For* loop = stmt->as<For>()) {
            bindLoop(facts_, *loop);
            loops_.push_back(loop);
            Stmt result = descend(stmt);
            loops_.pop_back();
            return result;
        }
        const Store* store = stmt->as<Store>();
        if (!store)
            return descend(stmt);
        if (store->mask)
            return stmt;
        parts_.clear();
        if (!choiceIn(store->value, {}))
            return stmt;
        made_ = {.store = store, .origin = stmt->origin, .share = hasSymbols(store->value) ? symbolShare : 1};
        if (made_.share > 1 && nodesOf(store->value) > mostNodes / made_.share)
            return stmt;
        return branched(store->value, facts_, {});
    }

private:
    const Checkpoint& checkpoint_;
    arith::Facts facts_;
    std::vector<const For*> loops_; // around, outermost first

    /// A store that becomes branches.
    struct OneStore {
        const Store* store = nullptr;
        int origin = -1;
        int64_t share = 1;             // of the budgets
        int64_t stores = 0, nodes = 0; // what it became so far
    };
    OneStore made_;

    bool hasSymbols(const Expr& value) const {
        return std::ranges::any_of(arith::freeVars(value), [&](const Var& var) {
            return std::ranges::none_of(loops_, [&](const For* loop) { return loop->var.same(var); });
        });
    }

    /// A part of a condition, as it is asked of a whole tile.
    struct Part {
        Expr here;          // for one element
        Expr always, never; // for all elements of the tile, for none; null: no element differs from another
        size_t depth = 0;   // of the innermost loop that it mentions
    };

    /// By the condition, which is kept alive.
    std::unordered_map<const arith::ExprNode*, std::pair<Expr, std::optional<Part>>> parts_;

    struct Choice {
        Expr condition; // of the selects
        std::vector<Part> parts;
        std::vector<Expr> rest; // parts that stay in the select
    };

    using Conditions = std::vector<Expr>;

    static bool isTile(const For& loop) { return loop.kind == ForKind::Vectorized || loop.kind == ForKind::Unrolled; }

    /// The condition for all iterations of the loops: where an affine comparison is nearest to failing and to holding.
    std::optional<Part> overAll(const Expr& condition, std::span<const size_t> loops) const {
        const arith::ExprKind kind = condition.kind();
        const bool less = kind == arith::ExprKind::Lt || kind == arith::ExprKind::Le;
        if ((!less && kind != arith::ExprKind::Gt && kind != arith::ExprKind::Ge) ||
            !condition->args[0].dtype().isIndex())
            return std::nullopt;
        std::vector<Var> vars;
        for (size_t loop : loops)
            vars.push_back(loops_[loop]->var);
        const Expr slack = condition->args[less ? 1 : 0] - condition->args[less ? 0 : 1];
        const std::optional<arith::Affine> affine = arith::asAffine(arith::simplify(slack, facts_), vars);
        if (!affine)
            return std::nullopt;
        arith::VarMap least, most;
        for (size_t i = 0; i < vars.size(); ++i) {
            const std::optional<int64_t> step = arith::asInt(arith::simplify(affine->coefficients[i], facts_));
            const arith::Interval range = arith::bounds(vars[i], facts_);
            if (!step || range.lower == arith::Interval{}.lower || range.upper == arith::Interval{}.upper)
                return std::nullopt;
            least[vars[i].get()] = Expr(*step < 0 ? range.upper : range.lower);
            most[vars[i].get()] = Expr(*step < 0 ? range.lower : range.upper);
        }
        return Part{condition, arith::simplify(arith::substitute(condition, least), facts_),
                    arith::simplify(negation(arith::substitute(condition, most)), facts_), 0};
    }

    /// What every choice in a chain asks again.
    const std::optional<Part>& partOf(const Expr& condition) {
        auto [place, added] = parts_.try_emplace(condition.get());
        if (added)
            place->second = {condition, computePart(condition)};
        return place->second.second;
    }

    /// Nothing where a branch would not get out of the tile.
    std::optional<Part> computePart(const Expr& condition) const {
        if (condition.dtype().lanes != 1 || readsMemory(condition))
            return std::nullopt;
        std::vector<size_t> mentioned;
        size_t tile = 0; // so many of them, the last ones, it has to be out of
        for (size_t i = 0; i < loops_.size(); ++i)
            if (arith::mentions(condition, loops_[i]->var)) {
                mentioned.push_back(i);
                tile += tile > 0 || isTile(*loops_[i]);
            }
        const auto depthOf = [&](size_t within) {
            return within == mentioned.size() ? 0 : mentioned[mentioned.size() - within - 1] + 1;
        };
        const auto overLast = [&](size_t within) {
            std::optional<Part> part = overAll(condition, std::span(mentioned).last(within));
            if (part)
                part->depth = depthOf(within);
            return part;
        };
        // Where the loops further out decide it alone, those within need not ask.
        for (size_t within = mentioned.size(); within-- > tile + 1;)
            if (std::optional<Part> part = overLast(within)) {
                arith::Facts fails = facts_;
                assume(fails, negation(part->always));
                if (arith::provablyTrue(part->never, fails))
                    return part;
            }
        return tile == 0 ? Part{condition, {}, {}, depthOf(0)} : overLast(tile);
    }

    static bool isAmong(const Conditions& asked, const Expr& condition) {
        return std::ranges::any_of(asked, [&](const Expr& e) { return arith::structurallyEqual(e, condition); });
    }

    /// A condition whose outermost loops are the outermost of all, but none of `asked`. Of several the middle one: a chain
    /// of n sides becomes a tree, log n branches deep.
    std::optional<Choice> choiceIn(const Expr& value, const Conditions& asked) {
        std::vector<Choice> found;
        arith::visit(value, [&](const Expr& e) {
            if (e.kind() != arith::ExprKind::Select || e.dtype().lanes != 1)
                return true;
            const std::vector<Expr> conditions = arith::conjuncts(e->args[0]);
            if (conditions.size() > mostConditions || isAmong(asked, e->args[0]))
                return true;
            Choice choice{e->args[0], {}, {}};
            for (const Expr& condition : conditions)
                if (const std::optional<Part>& part = partOf(condition))
                    choice.parts.push_back(*part);
                else
                    choice.rest.push_back(condition);
            if (choice.parts.empty())
                return true;
            std::ranges::stable_sort(choice.parts, {}, &Part::depth);
            const size_t depth = choice.parts.front().depth;
            if (!found.empty() && depth < found.front().parts.front().depth)
                found.clear();
            if (found.empty() || depth == found.front().parts.front().depth)
                found.push_back(std::move(choice));
            return true;
        });
        if (found.empty())
            return std::nullopt;
        return std::move(found[found.size() / 2]);
    }

    bool alwaysHolds(const Part& part, const arith::Facts& facts) const {
        return arith::provablyTrue(part.always ? part.always : part.here, facts);
    }
    bool neverHolds(const Part& part, const arith::Facts& facts) const {
        return part.always ? arith::provablyTrue(part.never, facts) : arith::provablyFalse(part.here, facts);
    }

    /// Without the selects that the facts decide.
    Expr settled(const Expr& value, const arith::Facts& facts, const Conditions& asked) {
        return arith::rewrite(value, [&](const Expr& e) {
            if (e.kind() != arith::ExprKind::Select || e.dtype().lanes != 1 || isAmong(asked, e->args[0]))
                return e;
            bool always = true;
            for (const Expr& condition : arith::conjuncts(e->args[0])) {
                const std::optional<Part>& part = partOf(condition);
                if (part && neverHolds(*part, facts))
                    return e->args[2];
                always = always && part && alwaysHolds(*part, facts);
            }
            return always ? e->args[1] : e;
        });
    }

    /// In place of a store of `given`. `asked` are the conditions that stay: their tiles have elements on both sides.
    Stmt branched(const Expr& given, const arith::Facts& facts, const Conditions& asked) {
        const Expr value = settled(given, facts, asked);
        if (made_.stores < mostStores / made_.share && made_.nodes < mostNodes / made_.share)
            if (const std::optional<Choice> choice = choiceIn(value, asked))
                return nested(value, *choice, 0, facts, asked);
        ++made_.stores;
        made_.nodes += nodesOf(value);
        const Expr stored = asked.empty() ? value : withinSides(value, facts);
        return makeStmt(Store{made_.store->buffer, made_.store->indices, stored, {}}, made_.origin);
    }

    /// Where the parts before `index` hold.
    Stmt nested(const Expr& value, const Choice& choice, size_t index, const arith::Facts& facts,
                const Conditions& asked) {
        if (index == choice.parts.size())
            return branched(choice.rest.empty() ? decided(value, choice.condition, true)
                                                : asking(value, choice.condition, arith::conjunction(choice.rest)),
                            facts, asked);
        const Part& part = choice.parts[index];
        const Expr condition = part.always ? part.always : part.here;
        if (alwaysHolds(part, facts))
            return nested(value, choice, index + 1, facts, asked);
        const auto otherwise = [&](const arith::Facts& known) {
            return branched(decided(value, choice.condition, false), known, asked);
        };
        if (neverHolds(part, facts))
            return otherwise(facts);
        arith::Facts holds = facts, fails = facts;
        assume(holds, condition);
        assume(fails, negation(condition));
        const auto everywhere = [&] { return nested(value, choice, index + 1, holds, asked); };
        if (!part.always || neverHolds(part, fails))
            return makeStmt(If{condition, everywhere(), otherwise(fails)}, made_.origin);

        Stmt whole = arith::provablyFalse(condition, facts) ? nullptr : everywhere();
        const bool some = arith::provablyFalse(part.never, fails);
        arith::Facts nowhere = facts;
        assume(nowhere, part.never);
        assume(fails, negation(part.never));
        Stmt none = some ? nullptr : otherwise(nowhere);
        std::vector<Expr> conditions;
        for (size_t i = index; i < choice.parts.size(); ++i)
            conditions.push_back(choice.parts[i].here);
        conditions.insert(conditions.end(), choice.rest.begin(), choice.rest.end());
        Conditions with = asked;
        with.push_back(arith::conjunction(conditions));
        Stmt result = branched(asking(value, choice.condition, with.back()), fails, with);
        if (none)
            result = makeStmt(If{part.never, none, result}, made_.origin);
        return whole ? makeStmt(If{condition, whole, result}, made_.origin) : result;
    }
};

} // namespace

PrimFuncPtr branchOnSelects(const PrimFuncPtr& function, const Checkpoint& checkpoint) {
    return withBody(function, Branching(checkpoint).mutate(function->body));
}

} // namespace lathe::tir
