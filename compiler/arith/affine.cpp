// SPDX-License-Identifier: Apache-2.0
//
// Coefficients of variables in an index expression, and evaluation under an assignment.
#include "arith/scalar.h"
#include "arith/simplifier.h"

#include <algorithm>

namespace lathe::arith {

std::optional<Affine> asAffine(const Expr& expr, std::span<const Var> vars) {
    if (expr.dtype() != types::Index)
        return std::nullopt;
    Facts facts;
    Simplifier simplifier(facts);
    std::vector<AtomId> ids;
    for (const Var& var : vars)
        ids.push_back(simplifier.intern(var));
    auto mentions = [&](AtomId atom) {
        bool found = false;
        visit(simplifier.exprOf(atom), [&](const Expr& node) {
            for (const Var& var : vars)
                found = found || node.same(var);
            return !found;
        });
        return found;
    };
    Poly poly = simplifier.polyOf(simplifier.simplified(expr));
    Poly base = Poly::of(poly.constant);
    std::vector<Poly> coefficients(vars.size());
    for (const Term& term : poly.terms) {
        std::optional<size_t> own;
        std::vector<AtomId> others;
        for (AtomId factor : term.factors) {
            auto place = std::ranges::find(ids, factor);
            if (place == ids.end()) {
                if (mentions(factor))
                    return std::nullopt;
                others.push_back(factor);
            } else if (own) {
                return std::nullopt;
            } else {
                own = static_cast<size_t>(place - ids.begin());
            }
        }
        Poly& target = own ? coefficients[*own] : base;
        auto sum = addScaled(target, monomial(std::move(others), term.coefficient), 1);
        if (!sum)
            return std::nullopt;
        target = std::move(*sum);
    }
    Affine result;
    result.base = simplifier.exprOf(simplifier.fromPoly(std::move(base)));
    for (Poly& coefficient : coefficients)
        result.coefficients.push_back(simplifier.exprOf(simplifier.fromPoly(std::move(coefficient))));
    return result;
}

namespace {

class Evaluation {
public:
    explicit Evaluation(const std::unordered_map<const ExprNode*, int64_t>& values) : values_(values) {}

    std::optional<Scalar> value(const Expr& expr) {
        bool isShared = expr.node().use_count() > 1 && !expr->args.empty();
        if (isShared)
            if (auto known = known_.find(expr.get()); known != known_.end())
                return known->second;
        auto result = compute(expr);
        if (isShared)
            known_.emplace(expr.get(), result);
        return result;
    }

private:
    std::optional<Scalar> compute(const Expr& expr) {
        const ExprNode& node = *expr;
        if (node.dtype.lanes != 1)
            return std::nullopt;
        switch (node.kind) {
        case ExprKind::IntImm:
            return Scalar{.i = node.intValue};
        case ExprKind::FloatImm:
            return ofFloat(node.floatValue);
        case ExprKind::Var: {
            auto found = values_.find(&node);
            if (found == values_.end() || node.dtype.isFloat())
                return std::nullopt;
            return Scalar{.i = found->second};
        }
        case ExprKind::Load:
        case ExprKind::Ramp:
        case ExprKind::Broadcast:
            return std::nullopt;
        case ExprKind::Select: {
            auto condition = value(node.args[0]);
            if (!condition)
                return std::nullopt;
            return value(node.args[condition->i != 0 ? 1 : 2]);
        }
        default:
            break;
        }
        std::vector<Scalar> args;
        for (const Expr& arg : node.args) {
            auto result = value(arg);
            if (!result)
                return std::nullopt;
            args.push_back(*result);
        }
        DataType from = node.args.empty() ? node.dtype : node.args[0].dtype();
        switch (node.kind) {
        case ExprKind::Not:
            return Scalar{.i = args[0].i == 0 ? 1 : 0};
        case ExprKind::BitNot:
            return Scalar{.i = node.dtype.isBool() ? (args[0].i == 0 ? 1 : 0) : wrapToType(~args[0].i, node.dtype)};
        case ExprKind::Cast:
            return applyCast(args[0], from, node.dtype);
        case ExprKind::Call:
            return applyIntrinsic(node.intrinsic, node.dtype, from, args);
        default:
            break;
        }
        if (node.kind >= ExprKind::Eq && node.kind <= ExprKind::Ge)
            return Scalar{.i = applyCompare(node.kind, from, args[0], args[1]) ? 1 : 0};
        return applyBinary(node.kind, node.dtype, args[0], args[1]);
    }

    static Scalar ofFloat(double value) {
        Scalar result;
        result.f = value;
        return result;
    }

    const std::unordered_map<const ExprNode*, int64_t>& values_;
    std::unordered_map<const ExprNode*, std::optional<Scalar>> known_;
};

} // namespace

std::optional<int64_t> evaluate(const Expr& expr, const std::unordered_map<const ExprNode*, int64_t>& values) {
    if (expr.dtype().isFloat())
        return std::nullopt;
    auto result = Evaluation(values).value(expr);
    return result ? std::optional(result->i) : std::nullopt;
}

} // namespace lathe::arith
