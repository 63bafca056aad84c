// SPDX-License-Identifier: Apache-2.0
#include "tir/transform/version_extents.h"

#include "base/rounding.h"
#include "tir/structure.h"
#include "tir/transform/copy.h"
#include "tir/transform/dynamic_extents.h"
#include "tir/transform/loop_facts.h"
#include "tir/transform/move_tile.h"
#include "tir/visit.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace lathe::tir {
namespace {

constexpr int64_t largestTile = 64;             // extents that are worth a version
constexpr int64_t longestChain = 16;            // values of an unrolled extent in a tail
constexpr size_t exactLengths = 3;              // lengths of a tail that have code of their own each
constexpr int64_t versionedStatements = 20'000; // unrolled size of all versions of one place
constexpr int64_t allStatements = 60'000;       // of all versions of a function

/// A loop extent that is at most `most`, where `full` says that it is exactly that.
struct Extent {
    Expr extent;
    int64_t most = 0;
    Expr full;
    bool unrolled = false;
};

class SetExtents : public Mutator {
public:
    SetExtents(const std::vector<Extent>& extents, const std::vector<int64_t>& values)
        : extents_(extents), values_(values) {}
    using Mutator::mutate;
    Stmt mutate(const Stmt& stmt) override {
        Stmt inner = descend(stmt);
        const For* loop = inner ? inner->as<For>() : nullptr;
        if (!loop || arith::asInt(loop->extent))
            return inner;
        for (size_t i = 0; i < extents_.size(); ++i)
            if (values_[i] >= 0 && arith::structurallyEqual(extents_[i].extent, loop->extent)) {
                For result = *loop;
                result.extent = Expr(values_[i]);
                return makeStmt(std::move(result), inner->origin);
            }
        return inner;
    }

private:
    const std::vector<Extent>& extents_;
    const std::vector<int64_t>& values_; // -1: leave
};

/// An expression that a condition leaves only one value of: x >= c where x is at most c, or x <= c where it is at least c.
struct Pinned {
    Expr expr;
    int64_t value = 0;
};
/// x * k + c = v pins x, however x occurs elsewhere.
Pinned pinned(Expr expr, int64_t value) {
    using enum arith::ExprKind;
    while (expr.kind() == Add || expr.kind() == Sub || expr.kind() == Mul) {
        const std::optional<int64_t> left = arith::asInt(expr->args[0]), right = arith::asInt(expr->args[1]);
        if (left.has_value() == right.has_value())
            break;
        const int64_t constant = left ? *left : *right;
        if (expr.kind() == Mul) {
            if (constant == 0 || value % constant != 0)
                break;
            value /= constant;
        } else if (expr.kind() == Add) {
            value -= constant;
        } else {
            value = left ? constant - value : value + constant;
        }
        expr = expr->args[left ? 1 : 0];
    }
    return {expr, value};
}
std::optional<Pinned> pinnedBy(const Expr& condition, const arith::Facts& facts) {
    const arith::ExprKind kind = condition.kind();
    const bool less = kind == arith::ExprKind::Lt || kind == arith::ExprKind::Le;
    if (!less && kind != arith::ExprKind::Gt && kind != arith::ExprKind::Ge)
        return std::nullopt;
    const int64_t strict = kind == arith::ExprKind::Lt || kind == arith::ExprKind::Gt;
    const Expr& small = condition->args[less ? 0 : 1];
    const Expr& big = condition->args[less ? 1 : 0];
    if (auto c = arith::asInt(small); c && !arith::asInt(big) && arith::bounds(big, facts).upper == *c + strict)
        return pinned(big, *c + strict);
    if (auto c = arith::asInt(big); c && !arith::asInt(small) && arith::bounds(small, facts).lower == *c - strict)
        return pinned(small, *c - strict);
    return std::nullopt;
}

class SetExpr : public Mutator {
public:
    explicit SetExpr(Pinned pinned) : pinned_(std::move(pinned)) {}
    using Mutator::mutate;
    Expr mutate(const Expr& expr) override {
        return expr ? arith::rewrite(expr,
                                     [&](const Expr& node) {
                                         return arith::structurallyEqual(node, pinned_.expr) ? Expr(pinned_.value)
                                                                                             : node;
                                     })
                    : expr;
    }

private:
    Pinned pinned_;
};

/// Top-down: at each place all extents that are known there are versioned together.
class Versioning : public Mutator {
public:
    explicit Versioning(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {}
    using Mutator::mutate;

    Stmt atPlace(const Stmt& body) {
        if (const Seq* list = body->as<Seq>(); list && areApart(*list)) {
            std::vector<Stmt> stmts;
            for (const Stmt& child : list->stmts)
                stmts.push_back(atPlace(child));
            return stmts == list->stmts ? body : seq(std::move(stmts), body->origin);
        }
        std::vector<Extent> extents = extentsKnownAt(body);
        if (extents.empty() || hasPlacesWithin(body))
            return descendInto(body);
        std::vector<int64_t> values;
        Expr full;
        for (const Extent& e : extents) {
            values.push_back(e.most);
            full = full ? arith::logicalAnd(full, e.full) : e.full;
        }
        Stmt whole = SetExtents(extents, values).mutate(body);
        const int64_t size = unrolledSize(whole);
        if (size * 2 > versionedStatements || made_ > allStatements)
            return descendInto(body);
        made_ += size * 2;
        const arith::Facts saved = facts_;
        assume(facts_, full);
        const Stmt fullCase = descendInto(copyOf(whole));
        facts_ = saved;
        const Stmt tail = notFull(body, extents, size);
        facts_ = saved;
        return makeStmt(If{full, fullCase, tail}, body->origin);
    }

    Stmt mutate(const Stmt& stmt) override {
        if (const For* loop = stmt->as<For>()) {
            bindLoop(facts_, *loop);
            For result = *loop;
            result.body = atPlace(loop->body);
            return result.body == loop->body ? stmt : makeStmt(std::move(result), stmt->origin);
        }
        if (const Let* let = stmt->as<Let>()) {
            if (let->var.dtype().isIndex())
                facts_.bind(let->var, arith::bounds(let->value, facts_));
            lets_.emplace_back(let->var, let->value);
            Stmt body = atPlace(let->body);
            lets_.pop_back();
            return body == let->body ? stmt : makeStmt(Let{let->var, let->value, body}, stmt->origin);
        }
        if (const BindBuffer* bind = stmt->as<BindBuffer>()) {
            Stmt body = atPlace(bind->body);
            return body == bind->body ? stmt : makeStmt(BindBuffer{bind->buffer, bind->address, body}, stmt->origin);
        }
        return descend(stmt);
    }

private:
    const Checkpoint& checkpoint_;
    DynamicExtents dynamic_;
    arith::Facts facts_;
    std::vector<std::pair<Var, Expr>> lets_; // around the place
    int64_t made_ = 0;                       // statements of versions, about

    Stmt descendInto(const Stmt& body) { return mutate(body); }

    /// Names for statements that are apart.
    bool hasPlacesWithin(const Stmt& body) {
        const Stmt* stmt = &body;
        for (;;) {
            if (const Let* let = (*stmt)->as<Let>())
                stmt = &let->body;
            else if (const BindBuffer* bind = (*stmt)->as<BindBuffer>())
                stmt = &bind->body;
            else
                break;
        }
        const Seq* list = (*stmt)->as<Seq>();
        return list && areApart(*list);
    }

    /// Whether no two of the statements have an extent in common: then versions of one need no versions of the others.
    bool areApart(const Seq& list) {
        std::vector<Expr> seen;
        for (const Stmt& child : list.stmts) {
            const std::vector<Extent> own = extentsKnownAt(child);
            for (const Extent& extent : own)
                if (std::ranges::any_of(
                        seen, [&](const Expr& other) { return arith::structurallyEqual(other, extent.extent); }))
                    return false;
            for (const Extent& extent : own)
                seen.push_back(extent.extent);
        }
        return true;
    }

    /// Extents in `body` that are known here, of tiles small enough.
    std::vector<Extent> extentsKnownAt(const Stmt& body) {
        std::vector<Extent> extents;
        for (const DynamicExtent& dynamic : dynamic_.of(body)) {
            const int64_t most = arith::bounds(dynamic.extent, facts_).upper;
            if (most >= 1 && most <= largestTile)
                extents.push_back({dynamic.extent, most, fullCondition(dynamic.extent, most), dynamic.unrolled});
        }
        return extents;
    }

    Expr fullCondition(const Expr& extent, int64_t most) const {
        if (extent.kind() == arith::ExprKind::Min)
            for (int side = 0; side < 2; ++side)
                if (arith::isConst(extent->args[static_cast<size_t>(side)], most))
                    return arith::simplify(arith::ge(extent->args[static_cast<size_t>(1 - side)], Expr(most)), facts_);
        return arith::ge(extent, Expr(most));
    }

    /// `body` where not all of the extents are full.
    Stmt notFull(const Stmt& body, const std::vector<Extent>& extents, int64_t size) {
        if (extents.size() == 1) {
            const Expr condition = arith::simplify(negation(extents[0].full), facts_);
            if (auto pinned = pinnedBy(condition, facts_))
                return descendInto(simplifyStmt(SetExpr(*pinned).mutate(copyOf(body)), facts_, checkpoint_));
            assume(facts_, condition);
        }
        return tailOf(body, extents, size);
    }

    Stmt tailOf(const Stmt& body, const std::vector<Extent>& extents, int64_t size) {
        size_t chosen = extents.size();
        for (size_t i = 0; i < extents.size() && chosen == extents.size(); ++i)
            if (extents[i].unrolled && extents[i].most <= longestChain)
                chosen = i;
        if (chosen == extents.size() || size * extents[chosen].most / 2 > versionedStatements)
            return descendInto(copyOf(body));
        const Extent& e = extents[chosen];
        const int64_t last = extents.size() == 1 ? e.most - 1 : e.most;
        Expr dynamic = e.extent; // below `most` it is the minimum's other side, which says more
        if (dynamic.kind() == arith::ExprKind::Min &&
            (arith::isConst(dynamic->args[0], e.most) || arith::isConst(dynamic->args[1], e.most)))
            dynamic = arith::isConst(dynamic->args[0], e.most) ? dynamic->args[1] : dynamic->args[0];
        arith::Congruence congruence = arith::congruence(dynamic, facts_);
        const int64_t least = std::max<int64_t>(1, arith::bounds(e.extent, facts_).lower);
        std::vector<int64_t> possible;
        for (int64_t value = least; value <= last; ++value)
            if (congruence.modulus <= 1 || value == e.most || (value - congruence.remainder) % congruence.modulus == 0)
                possible.push_back(value);
        Stmt chain;
        std::vector<int64_t> values(extents.size(), -1);
        const auto withExtent = [&](int64_t value) {
            values[chosen] = value;
            return copyOf(SetExtents(extents, values).mutate(body));
        };
        if (arith::bounds(e.extent, facts_).lower < 1 || possible.empty())
            chain = descendInto(withExtent(0));
        if (possible.size() > exactLengths)
            if (const Stmt tiled = tilesOf(withExtent, dynamic, e, last, chain))
                return tiled;
        for (size_t i = possible.size(); i-- > 0;) {
            const Stmt one = withExtent(possible[i]);
            made_ += unrolledSize(one);
            // The other extents are still known here; of two that are not both full the other one is not.
            const bool otherIsNot = possible[i] == e.most && extents.size() == 2;
            const arith::Facts saved = facts_;
            const Stmt version = otherIsNot ? notFull(one, {extents[1 - chosen]}, size) : atPlace(one);
            facts_ = saved;
            chain =
                chain ? makeStmt(If{arith::eq(e.extent, Expr(possible[i])), version, chain}, body->origin) : version;
        }
        return chain;
    }

    /// Whether `body` mentions what was computed from `tile` outside of it: its place is not only where the tile stands.
    bool namedAround(const Var& tile, const Stmt& body) {
        std::unordered_set<const arith::ExprNode*> names = {tile.get()};
        for (const auto& [var, value] : lets_)
            if (std::ranges::any_of(arith::freeVars(value), [&](const Var& v) { return names.contains(v.get()); }))
                names.insert(var.get());
        names.erase(tile.get());
        bool mentioned = false;
        visitExprs(body, [&](const Expr& root) {
            for (const Var& var : arith::freeVars(root))
                mentioned |= names.contains(var.get());
        });
        return mentioned;
    }

    /// The tail by tiles of a few lengths, each two thirds of the one before: the longest that fits, and where it does not
    /// reach the end another one that ends there. `none` is what remains to be done for a tail of no length.
    Stmt tilesOf(const std::function<Stmt(int64_t)>& withExtent, const Expr& length, const Extent& e, int64_t longest,
                 const Stmt& none) {
        std::optional<Var> tile; // length = n - most * tile
        for (const Var& var : arith::freeVars(length))
            if (const auto affine = arith::asAffine(length, std::array{var});
                affine && arith::isConst(affine->coefficients[0], -e.most))
                tile = var;
        if (!tile || namedAround(*tile, withExtent(0)))
            return nullptr;
        std::vector<int64_t> lengths; // descending
        if (longest == e.most)
            lengths.push_back(longest--);
        for (int64_t rows = ceilDiv(longest, 2); rows > 0; rows = rows * 2 / 3)
            lengths.push_back(rows);
        Stmt chain = none;
        for (size_t i = lengths.size(); i-- > 0;) {
            const Expr rows(lengths[i]);
            const Var piece = arith::var("piece"), start = arith::var("start");
            const Expr first = *tile * e.most + arith::min(piece * rows, length - rows);
            const std::optional<Stmt> moved = movedTile(withExtent(lengths[i]), *tile, e.most, start);
            if (!moved)
                return nullptr;
            const int origin = (*moved)->origin;
            made_ += unrolledSize(*moved);
            const Stmt at = makeStmt(Let{start, arith::simplify(first, facts_), *moved}, origin);
            const Expr count = lengths[i] == e.most ? Expr(1) : arith::ceilDiv(length, rows);
            const Stmt tiles =
                descendInto(makeStmt(For{piece, Expr(0), arith::simplify(count, facts_), ForKind::Serial, at}, origin));
            chain = chain ? makeStmt(If{arith::ge(length, rows), tiles, chain}, origin) : tiles;
        }
        return chain;
    }
};

} // namespace

Stmt versionExtents(const Stmt& body, const Checkpoint& checkpoint) {
    return Versioning(checkpoint).atPlace(body);
}

} // namespace lathe::tir
