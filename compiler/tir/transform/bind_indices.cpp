// SPDX-License-Identifier: Apache-2.0
//
// See bind_indices.h. Top-down: a scope is the body of a serial or parallel loop or of a let, where variables can be bound.
#include "tir/transform/bind_indices.h"

#include "arith/analysis.h"
#include "tir/structure.h"
#include "tir/visit.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace lathe::tir {
namespace {

using arith::ExprKind;

/// Variables of vectorized and unrolled loops, and all that is defined in such loops: nothing is bound there.
constexpr size_t within = std::numeric_limits<size_t>::max();

void addTerms(const Expr& sum, int64_t scale, std::vector<Expr>& terms) {
    if (sum.kind() == ExprKind::Add || sum.kind() == ExprKind::Sub) {
        addTerms(sum->args[0], scale, terms);
        addTerms(sum->args[1], sum.kind() == ExprKind::Add ? scale : -scale, terms);
    } else {
        terms.push_back(scale == 1 ? sum : sum * scale);
    }
}

void addFactors(const Expr& product, std::vector<Expr>& factors) {
    if (product.kind() == ExprKind::Mul) {
        addFactors(product->args[0], factors);
        addFactors(product->args[1], factors);
    } else {
        factors.push_back(product);
    }
}

Expr sumOf(const std::vector<Expr>& terms) {
    Expr sum(0);
    for (const Expr& term : terms)
        sum = sum + term;
    return sum;
}

/// Whether computing it takes more than scaling one variable.
bool isWork(const Expr& expr) {
    std::vector<Expr> terms, factors;
    addTerms(expr, 1, terms);
    addFactors(expr, factors);
    return terms.size() > 1 ||
           std::ranges::count_if(factors, [](const Expr& factor) { return !arith::isConst(factor); }) > 1;
}

class Binding : public Mutator {
public:
    explicit Binding(const PrimFunc& function) {
        for (const Param& param : function.params)
            if (!param.buffer) {
                depths_[param.scalar.get()] = 0;
                symbolic_.insert(param.scalar.get());
            }
    }

    Stmt inScope(const Stmt& body) {
        scopes_.emplace_back();
        Stmt result = mutate(body);
        const std::vector<Bound> bound = std::move(scopes_.back());
        scopes_.pop_back();
        for (size_t i = bound.size(); i-- > 0;)
            result = makeStmt(Let{bound[i].var, bound[i].value, result}, body->origin);
        return result;
    }

    using Mutator::mutate;

    Stmt mutate(const Stmt& stmt) override {
        if (const For* loop = stmt ? stmt->as<For>() : nullptr) {
            For result = *loop;
            result.min = mutate(loop->min);
            result.extent = mutate(loop->extent);
            const bool inner = loop->kind == ForKind::Vectorized || loop->kind == ForKind::Unrolled;
            withinTile_ += inner;
            define(loop->var);
            result.body = withinTile_ > 0 ? mutate(loop->body) : inScope(loop->body);
            withinTile_ -= inner;
            const bool same =
                result.body == loop->body && result.min.same(loop->min) && result.extent.same(loop->extent);
            return same ? stmt : makeStmt(std::move(result), stmt->origin);
        }
        if (const Let* let = stmt ? stmt->as<Let>() : nullptr) {
            const Expr value = isDivision(let->value) || let->value.kind() == ExprKind::Select ? withArgs(let->value)
                                                                                               : mutate(let->value);
            define(let->var);
            if (isSymbolic(value))
                symbolic_.insert(let->var.get());
            const Stmt body = withinTile_ > 0 ? mutate(let->body) : inScope(let->body);
            return body == let->body && value.same(let->value) ? stmt
                                                               : makeStmt(Let{let->var, value, body}, stmt->origin);
        }
        return descend(stmt);
    }

    /// Of what stands in a statement: divisions everywhere, and the sums that are indices.
    Expr mutate(const Expr& expr) override {
        return arith::rewrite(expr, [&](const Expr& node) {
            if (isDivision(node) || node.kind() == ExprKind::Select)
                return size(node);
            if (node.kind() != ExprKind::Load)
                return node;
            std::vector<Expr> args = node->args;
            for (size_t i = 0; i + (node->masked ? 1 : 0) < args.size(); ++i)
                args[i] = index(args[i]);
            return arith::withArgs(node, std::move(args));
        });
    }

    Stmt descend(const Stmt& stmt) {
        const Stmt result = Mutator::descend(stmt);
        const Store* store = result ? result->as<Store>() : nullptr;
        if (!store)
            return result;
        Store indexed = *store;
        bool same = true;
        for (Expr& at : indexed.indices) {
            const Expr before = at;
            at = index(at);
            same &= at.same(before);
        }
        return same ? result : makeStmt(std::move(indexed), result->origin);
    }

private:
    struct Bound {
        Var var;
        Expr value;
        Hash128 hash; // of the value's structure
    };
    std::vector<std::vector<Bound>> scopes_;                    // outer to inner
    std::unordered_map<const arith::ExprNode*, size_t> depths_; // the scope a variable is known in
    std::unordered_set<const arith::ExprNode*> symbolic_;       // symbols and what is computed from them
    int withinTile_ = 0;

    static bool isDivision(const Expr& expr) {
        return expr.kind() == ExprKind::FloorDiv || expr.kind() == ExprKind::FloorMod;
    }

    /// What has a name already keeps it.
    Expr withArgs(const Expr& expr) {
        std::vector<Expr> args;
        for (const Expr& arg : expr->args)
            args.push_back(mutate(arg));
        return arith::withArgs(expr, std::move(args));
    }

    void define(const Var& var) { depths_[var.get()] = withinTile_ > 0 ? within : scopes_.size(); }

    size_t depthOf(const Expr& expr) const {
        size_t depth = 0;
        bool known = true;
        arith::visit(expr, [&](const Expr& node) {
            known &= node.kind() != ExprKind::Load && node.kind() != ExprKind::Call;
            if (node.kind() == ExprKind::Var) {
                const auto found = depths_.find(node.get());
                depth = std::max(depth, found == depths_.end() ? within : found->second);
            }
            return known;
        });
        return known ? depth : within;
    }

    bool isSymbolic(const Expr& expr) const {
        return std::ranges::any_of(arith::freeVars(expr),
                                   [&](const Var& var) { return symbolic_.contains(var.get()); });
    }

    Expr bound(const Expr& value, size_t depth, const char* name) {
        std::vector<Bound>& scope = scopes_[depth];
        Hasher hasher;
        std::unordered_map<const void*, uint64_t> numbering;
        arith::hashInto(hasher, value, numbering);
        const Hash128 hash = hasher.finish();
        for (const Bound& each : scope)
            if (each.hash == hash &&
                arith::structurallyEqual(each.value, value)) // the hash knows no variables by themselves
                return each.var;
        const Var var = arith::var(name);
        depths_[var.get()] = depth;
        symbolic_.insert(var.get());
        scope.push_back({var, value, hash});
        return var;
    }

    /// A quotient or remainder, or a size that is chosen between. May be computed where nothing asks for it: as code a
    /// division by 0 divides by 1. (Interpreted it fails, but what is interpreted is not lowered so far.)
    Expr size(const Expr& node) {
        if (!node.dtype().isIndex() || node.dtype().lanes != 1 || !isSymbolic(node))
            return node;
        const size_t depth = depthOf(node);
        if (depth == within ||
            (depth != 0 && node.kind() == ExprKind::Select)) // indices at borders are for other passes
            return node;
        return bound(node, depth,
                     node.kind() == ExprKind::FloorDiv   ? "quotient"
                     : node.kind() == ExprKind::FloorMod ? "rest"
                                                         : "size");
    }

    Expr index(const Expr& sum) {
        if (!sum.dtype().isIndex() || sum.dtype().lanes != 1 || withinVectors(sum))
            return sum;
        std::vector<Expr> terms, kept;
        addTerms(sum, 1, terms);
        std::map<size_t, std::vector<Expr>> known; // by the scope that decides them
        for (const Expr& term : terms) {
            const size_t depth = depthOf(term);
            if (depth == within)
                kept.push_back(strided(term));
            else if (isSymbolic(term))
                known[depth].push_back(term);
            else
                kept.push_back(term);
        }
        for (const auto& [depth, parts] : known) {
            const Expr part = arith::simplify(sumOf(parts));
            kept.push_back(isWork(part) ? bound(part, depth, "base") : part);
        }
        return arith::simplify(sumOf(kept));
    }

    /// A step of a tile times its stride: a product of sizes has a name.
    Expr strided(const Expr& term) {
        std::vector<Expr> factors;
        addFactors(term, factors);
        Expr moving(1), stride(1);
        size_t depth = 0;
        for (const Expr& factor : factors) {
            const size_t own = depthOf(factor);
            if (own == within) {
                moving = moving * factor;
            } else {
                stride = stride * factor;
                depth = std::max(depth, own);
            }
        }
        stride = arith::simplify(stride);
        return isSymbolic(stride) && isWork(stride) ? moving * bound(stride, depth, "stride") : term;
    }

    static bool withinVectors(const Expr& expr) {
        bool vectors = false;
        arith::visit(expr, [&](const Expr& node) {
            vectors |= node.dtype().lanes > 1;
            return !vectors;
        });
        return vectors;
    }
};

} // namespace

PrimFuncPtr bindIndices(const PrimFuncPtr& function) {
    if (std::ranges::all_of(function->params, [](const Param& param) {
            return param.buffer != nullptr || !param.scalar.dtype().isIndex();
        }))
        return function;
    return withBody(function, Binding(*function).inScope(function->body));
}

} // namespace lathe::tir
