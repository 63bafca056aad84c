// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/axis_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend {

using namespace relay;

namespace {

Dims simplified(Dims dims) {
    for (Expr& dim : dims)
        dim = arith::simplify(dim);
    return dims;
}

/// The one element of `axis`, counted from the front.
Expr placeOfAxis(Builder& b, Var axis, int64_t rank) {
    const Dims given = b.symbolic(axis, "axis");
    if (b.failed())
        return 0;
    if (given.size() != 1) {
        b.fail(fmt::format("there are {} axes where one is needed", given.size()));
        return 0;
    }
    return arith::simplify(arith::select(arith::lt(given[0], 0), given[0] + rank, given[0]));
}

} // namespace

Dims remainingDims(const Dims& shape, const std::vector<Expr>& dropped, int64_t rank) {
    Dims result;
    for (int64_t place = 0; place < rank; ++place) {
        Expr chosen = 1, kept = 0; // dim i stands at `place` if it stays and `place` dims before it do
        for (size_t i = 0; i < shape.size(); ++i) {
            const Expr stays = arith::logicalNot(dropped[i]);
            chosen = arith::select(arith::logicalAnd(stays, arith::eq(kept, place)), shape[i], chosen);
            kept = kept + arith::select(stays, 1, 0);
        }
        result.push_back(arith::simplify(chosen));
    }
    return result;
}

Var overAxis(NodeReader& node, Var x, Var axis, const std::function<Var(Var x, int64_t axis)>& fn, int64_t fixed) {
    Builder& b = node.b;
    if (b.failed())
        return {};
    const int64_t rank = b.rank(x), places = rank - fixed;
    if (const auto known = b.knownInts(axis); known && known->size() == 1)
        return fn(x, node.axis((*known)[0], rank));
    const Expr at = placeOfAxis(b, axis, rank);
    const Dims shape = b.shape(x);
    x = assume(b, x, arith::logicalAnd(arith::ge(at, 0), arith::lt(at, places)),
               fmt::format("the axis is one of {} dims", places));
    if (b.failed() || places == 1)
        return fn(x, 0);
    Dims view(3, Expr(1));
    for (int64_t i = 0; i < places; ++i) {
        const std::array<Expr, 3> isIn = {arith::lt(i, at), arith::eq(i, at), arith::gt(i, at)};
        for (size_t part = 0; part < 3; ++part)
            view[part] = view[part] * arith::select(isIn[part], shape[static_cast<size_t>(i)], 1);
    }
    view.insert(view.end(), shape.begin() + places, shape.end());
    const Var y = fn(reshape(b, x, simplified(std::move(view))), 1);
    if (b.failed())
        return {};
    const Dims made = b.shape(y);
    const bool isKept = static_cast<int64_t>(made.size()) == 3 + fixed;
    Dims result;
    for (int64_t i = 0; i < (isKept ? places : places - 1); ++i) {
        const auto own = shape.begin() + i;
        result.push_back(isKept ? arith::select(arith::eq(i, at), made[1], *own)
                                : arith::select(arith::lt(i, at), *own, *(own + 1)));
    }
    result.insert(result.end(), made.end() - fixed, made.end());
    return reshape(b, y, simplified(std::move(result)));
}

namespace {

/// Which dims of x a list of axes names, as conditions. Gives x, of which each must be named once.
struct NamedDims {
    Var x;
    std::vector<Expr> isNamed;
};

NamedDims namedDims(Builder& b, Var x, Var axes) {
    const int64_t rank = b.rank(x);
    const Expr count = dim(b, axes, 0);
    const Var places = where(b, less(b, axes, b.scalarInt(0)), add(b, axes, b.scalarInt(rank)), axes);
    const Var hits = equal(b, reshape(b, places, {count, 1}), iota(b, {rank}, 0, types::Int64));
    const Dims flags = b.symbolic(reduce(b, "or", hits, {0}, false), "reduced");
    Expr distinct = 0;
    NamedDims named{x, {}};
    for (const Expr& flag : flags) {
        distinct = distinct + flag;
        named.isNamed.push_back(arith::ne(flag, 0));
    }
    named.x = assume(b, x, arith::eq(distinct, count),
                     fmt::format("the axes are dims of the operand {}, none of them twice", text(b.shape(x))));
    return named;
}

/// How many dims are left of x without those; where only running tells, by what the model declares. Gives x, for which
/// that must be right.
std::optional<int64_t> declaredRank(NodeReader& node, Var& x, const std::vector<Expr>& isReduced) {
    Builder& b = node.b;
    const model::ValueType* declared = node.declaredResult(0);
    if (!declared || !declared->hasShape) {
        node.refuse("how many axes are reduced is known only while the model runs, and with it the result's rank",
                    "let the model keep the dims, or declare the result's rank");
        return std::nullopt;
    }
    Expr left = 0;
    for (const Expr& reduced : isReduced)
        left = left + arith::select(reduced, 0, 1);
    const auto rank = static_cast<int64_t>(declared->shape.size());
    x = assume(b, x, arith::eq(left, rank), fmt::format("the result has the declared rank {}", rank));
    return rank;
}

} // namespace

Var overAxes(NodeReader& node, Var x, Var axes, const AxesToReduce& how,
             const std::function<Var(Var x, const Ints& axes, bool keepDims)>& fn) {
    Builder& b = node.b;
    if (b.failed())
        return {};
    const int64_t rank = b.rank(x);
    const auto whole = [&] { return fn(x, how.emptyIsAll ? iotaInts(0, rank) : Ints{}, how.keepDims); };
    if (!axes)
        return whole();
    if (auto known = b.knownInts(axes)) {
        for (int64_t& axis : *known)
            axis = node.axis(axis, rank);
        std::ranges::sort(*known);
        if (how.mayRepeat) {
            const auto twice = std::ranges::unique(*known);
            known->erase(twice.begin(), twice.end());
        }
        return known->empty() ? whole() : fn(x, node.axes(*known, rank), how.keepDims);
    }
    const Var list = cast(b, b.rank(axes) == 0 ? reshape(b, axes, {1}) : axes, types::Int64);
    const Expr count = dim(b, list, 0);
    const auto number = arith::asInt(count);
    if (number == 0 || rank == 0)
        return whole();
    if (number > rank) {
        node.fail(fmt::format("there are {} axes for a tensor of rank {}", *number, rank));
        return {};
    }
    if (number == 1)
        return overAxis(node, x, list, [&](Var v, int64_t axis) { return fn(v, {axis}, how.keepDims); });
    if (2 * rank > limits::tensorRank) {
        node.refuse(fmt::format("the axes of an operand of rank {} are computed while the model runs", rank),
                    "make them a constant when exporting the model");
        return {};
    }
    auto [operand, isReduced] = namedDims(b, x, list);
    if (b.failed())
        return {};
    if (how.emptyIsAll && !number)
        for (Expr& reduced : isReduced)
            reduced = arith::logicalOr(reduced, arith::eq(count, 0));
    std::optional<int64_t> left = rank;
    if (!how.keepDims)
        left = number ? rank - *number : declaredRank(node, operand, isReduced);
    if (!left)
        return {};
    const Dims shape = b.shape(x);
    Dims pairs;
    Ints second;
    for (size_t i = 0; i < shape.size(); ++i) {
        pairs.push_back(arith::select(isReduced[i], 1, shape[i]));
        pairs.push_back(arith::select(isReduced[i], shape[i], 1));
        second.push_back(static_cast<int64_t>(2 * i + 1));
    }
    const Var y = fn(reshape(b, operand, simplified(std::move(pairs))), second, false);
    return how.keepDims ? y : reshape(b, y, remainingDims(shape, isReduced, *left));
}

} // namespace lathe::frontend
