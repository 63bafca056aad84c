// SPDX-License-Identifier: Apache-2.0
#include "lower/sizes.h"

#include "arith/analysis.h"
#include "arith/poly.h"
#include "base/limits.h"
#include "relay/type_map.h"
#include "tir/visit.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace lathe::lower {

using arith::Expr;
using arith::ExprKind;

namespace {

constexpr double beyondInt64 = 0x1p63;
/// Float64 numbers near -2^63 are this far apart at most.
constexpr double slack = 2048;

Expr number(double value) {
    return arith::floatImm(value, types::Float64);
}

bool inInt64(const Expr& index) {
    const arith::Interval range = arith::bounds(index);
    return range.lower != arith::unboundedLower && range.upper != arith::unboundedUpper;
}

/// Index expressions in float64. Shared nodes stay shared.
class InFloats {
public:
    /// The value of an index expression.
    Expr value(const Expr& index) {
        auto [it, fresh] = values_.try_emplace(index.get());
        if (!fresh)
            return it->second;
        const Expr made = makeValue(index);
        keep_.push_back(index);
        return values_[index.get()] = made;
    }

    /// The largest magnitude that index arithmetic in `expr` (of any type) comes to, as far as it may leave int64; null if
    /// none may.
    Expr reach(const Expr& expr) {
        auto [it, fresh] = reaches_.try_emplace(expr.get());
        if (!fresh)
            return it->second;
        const Expr made = makeReach(expr);
        keep_.push_back(expr);
        return reaches_[expr.get()] = made;
    }

private:
    Expr makeValue(const Expr& index) {
        auto arg = [&](size_t i) { return value(index->args[i]); };
        switch (index.kind()) {
        case ExprKind::IntImm:
            return number(static_cast<double>(index->intValue));
        case ExprKind::Add:
            return arg(0) + arg(1);
        case ExprKind::Sub:
            return arg(0) - arg(1);
        case ExprKind::Mul:
            return arg(0) * arg(1);
        case ExprKind::Min:
            return arith::min(arg(0), arg(1));
        case ExprKind::Max:
            return arith::max(arg(0), arg(1));
        case ExprKind::FloorDiv:
            return floor(quotient(arg(0), arg(1)));
        case ExprKind::FloorMod:
            return arg(0) - floor(quotient(arg(0), arg(1))) * arg(1);
        case ExprKind::Div:
            return truncate(quotient(arg(0), arg(1)));
        case ExprKind::Mod:
            return arg(0) - truncate(quotient(arg(0), arg(1))) * arg(1);
        case ExprKind::Select:
            return arith::select(rebuilt(index->args[0]), arg(1), arg(2));
        case ExprKind::Cast: {
            const Expr& from = index->args[0];
            if (from.dtype().isIndex())
                return value(from);
            const Expr wide = arith::cast(rebuilt(from), types::Float64);
            return from.dtype().isFloat() ? truncate(wide) : wide;
        }
        default: // a symbol
            return arith::cast(index, types::Float64);
        }
    }

    /// An expression of another type, with the index expressions in it replaced.
    Expr rebuilt(const Expr& expr) {
        std::vector<Expr> args;
        for (const Expr& arg : expr->args)
            args.push_back(arg.dtype().isIndex() ? value(arg) : rebuilt(arg));
        const bool mixed = std::ranges::any_of(expr->args, [](const Expr& arg) { return arg.dtype().isIndex(); });
        if (mixed && expr.kind() == ExprKind::Cast)
            return arith::cast(args[0], expr.dtype());
        if (mixed)
            return arith::make(expr.kind(), std::move(args), expr.dtype()); // a comparison
        return arith::withArgs(expr, std::move(args));
    }

    Expr makeReach(const Expr& expr) {
        if (expr.kind() == ExprKind::Select) {
            const Expr a = reach(expr->args[1]), b = reach(expr->args[2]);
            Expr taken;
            if (a || b)
                taken = arith::select(rebuilt(expr->args[0]), a ? a : number(0), b ? b : number(0));
            return larger(reach(expr->args[0]), taken);
        }
        Expr most;
        for (const Expr& arg : expr->args)
            most = larger(most, reach(arg));
        const bool grows = expr.kind() == ExprKind::Add || expr.kind() == ExprKind::Sub || expr.kind() == ExprKind::Mul;
        if (!grows || !expr.dtype().isIndex() || inInt64(expr))
            return most;
        const Expr own = value(expr);
        return larger(most, arith::max(own, number(-slack) - own));
    }

    static Expr larger(const Expr& a, const Expr& b) { return !a ? b : !b ? a : arith::max(a, b); }
    /// Divisors of 0 count as 1, as in code.
    static Expr quotient(const Expr& a, const Expr& b) {
        return arith::div(a, arith::select(arith::eq(b, number(0)), number(1), b));
    }
    static Expr floor(const Expr& x) { return arith::call(arith::Intrinsic::Floor, {x}, types::Float64); }
    static Expr truncate(const Expr& x) { return arith::call(arith::Intrinsic::Trunc, {x}, types::Float64); }

    std::unordered_map<const arith::ExprNode*, Expr> values_, reaches_;
    std::vector<Expr> keep_; // what the maps know by address
};

Expr both(const Expr& a, const Expr& b) {
    return !a ? b : !b ? a : arith::logicalAnd(a, b);
}

Expr computable(const std::vector<Expr>& exprs, InFloats& floats) {
    Expr most;
    for (const Expr& expr : exprs)
        if (const Expr reach = floats.reach(expr))
            most = most ? arith::max(most, reach) : reach;
    return most ? arith::lt(most, number(beyondInt64)) : most; // also false for NaN, from infinity - infinity
}

} // namespace

Expr elementsOf(const std::vector<Expr>& shape) {
    Expr count = 1;
    for (const Expr& dim : shape)
        count = count * dim;
    return arith::simplify(count);
}

Expr bytesOf(const relay::TensorType& type) {
    return arith::simplify(elementsOf(relay::storedShape(type.shape, type.layout)) *
                           static_cast<int64_t>(type.dtype.bytes()));
}

Expr computable(const std::vector<Expr>& exprs) {
    InFloats floats;
    return computable(exprs, floats);
}

Expr within(const Expr& index, int64_t most) {
    InFloats floats;
    const Expr holds = computable({index}, floats);
    if (arith::bounds(index).upper <= most)
        return holds;
    return both(holds, arith::le(floats.value(index), number(static_cast<double>(most))));
}

std::optional<SizeCondition> sizeCondition(DataType dtype, const std::vector<Expr>& shape) {
    if (std::ranges::all_of(shape, [](const Expr& dim) { return arith::isConst(dim); }))
        return std::nullopt; // the type's rule has checked it
    InFloats floats;
    Expr holds = computable(shape, floats);
    Expr product = number(1);
    arith::Interval most{1, 1};
    for (const Expr& dim : shape) {
        const arith::Interval range = arith::bounds(dim);
        if (range.lower < 0)
            holds = both(holds, arith::ge(floats.value(dim), number(0)));
        const Expr factor = range.lower >= 1 ? floats.value(dim) : arith::max(floats.value(dim), number(1));
        product = product * factor;
        most = arith::intervalProduct(most, {1, std::max<int64_t>(range.upper, 1)});
    }
    if (most.upper > limits::tensorElements)
        holds = both(holds, arith::le(product, number(static_cast<double>(limits::tensorElements))));
    if (!holds)
        return std::nullopt;
    return SizeCondition{holds, fmt::format("the size {} of {} is negative, or more than the limit of {} elements",
                                            relay::text(shape), toString(dtype), limits::tensorElements)};
}

std::vector<Expr> scalarIndices(const tir::PrimFunc& computation) {
    std::unordered_set<const arith::ExprNode*> scalars;
    for (const tir::Param& param : computation.params)
        if (!param.buffer)
            scalars.insert(param.scalar.get());
    std::unordered_map<const arith::ExprNode*, bool> overScalars;
    auto isOver = [&](auto&& self, const Expr& expr) -> bool {
        auto [it, fresh] = overScalars.try_emplace(expr.get(), false);
        if (!fresh)
            return it->second;
        bool all = expr.kind() != ExprKind::Load && (expr.kind() != ExprKind::Var || scalars.contains(expr.get()));
        for (const Expr& arg : expr->args)
            all = self(self, arg) && all;
        return overScalars[expr.get()] = all;
    };
    std::vector<Expr> result;
    std::unordered_set<const arith::ExprNode*> seen;
    auto collect = [&](const Expr& root) {
        arith::visit(root, [&](const Expr& expr) {
            if (!seen.insert(expr.get()).second)
                return false;
            if (!expr.dtype().isIndex() || !isOver(isOver, expr))
                return true;
            if (!expr->args.empty())
                result.push_back(expr);
            return false;
        });
    };
    for (const tir::Param& param : computation.params)
        if (param.buffer)
            for (const Expr& dim : param.buffer->shape)
                collect(dim);
    tir::visitExprs(computation.body, collect);
    return result;
}

} // namespace lathe::lower
