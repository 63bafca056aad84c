// SPDX-License-Identifier: Apache-2.0
//
// A reshape is understood by its prefixes: where as many elements stand before dim i on one side as before dim j on
// the other, nothing is merged across.
#include "relay/axis_order.h"

#include "arith/analysis.h"

#include <algorithm>
#include <numeric>

namespace lathe::relay {
namespace {

/// Reshapes of more dims are not looked into: each pair of prefixes is compared.
constexpr size_t reshapedDims = 8;

bool isOne(const Expr& dim) {
    return arith::isConst(dim, 1);
}

/// Those that are not of size 1: what decides about the sequence of elements.
Axes movingAxes(const AxisOrder& order, const std::vector<Expr>& shape) {
    const std::vector<Expr>& dims = order.parts.empty() ? shape : order.parts;
    Axes moving;
    for (int64_t axis : order.axes)
        if (!isOne(dims[static_cast<size_t>(axis)]))
            moving.push_back(axis);
    return moving;
}

bool equalDims(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    return std::ranges::equal(a, b, [](const Expr& x, const Expr& y) { return arith::provablyEqual(x, y); });
}

std::vector<Expr> prefixProducts(const std::vector<Expr>& dims) {
    std::vector<Expr> products{Expr(1)};
    for (const Expr& dim : dims)
        products.push_back(arith::simplify(products.back() * dim));
    return products;
}

/// The next pair of prefixes of one size: both a dim longer if that does, else those with the fewest dims.
std::optional<std::pair<size_t, size_t>> nextCut(const std::vector<Expr>& from, const std::vector<Expr>& to, size_t i,
                                                 size_t j) {
    const auto equal = [&](size_t a, size_t b) {
        return a < from.size() && b < to.size() && arith::provablyEqual(from[a], to[b]);
    };
    if (equal(i + 1, j + 1))
        return std::pair{i + 1, j + 1};
    for (size_t more = 1; more <= from.size() + to.size() - i - j; ++more)
        for (size_t left = 0; left <= more; ++left)
            if (equal(i + left, j + more - left))
                return std::pair{i + left, j + more - left};
    return std::nullopt;
}

} // namespace

Axes identityAxes(size_t rank) {
    Axes axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}

bool isIdentity(const Axes& axes) {
    return axes == identityAxes(axes.size());
}

Axes inverse(const Axes& axes) {
    Axes result(axes.size());
    for (size_t i = 0; i < axes.size(); ++i)
        result[static_cast<size_t>(axes[i])] = static_cast<int64_t>(i);
    return result;
}

Axes compose(const Axes& first, const Axes& second) {
    return permuted(first, second);
}

Axes ofKept(const Axes& axes, const std::vector<bool>& kept) {
    Axes number(axes.size());
    int64_t count = 0;
    for (size_t i = 0; i < axes.size(); ++i)
        number[i] = kept[i] ? count++ : -1;
    Axes result;
    for (int64_t axis : axes)
        if (kept[static_cast<size_t>(axis)])
            result.push_back(number[static_cast<size_t>(axis)]);
    return result;
}

bool swapsLastTwo(const Axes& axes) {
    Axes expected = identityAxes(axes.size());
    if (expected.size() < 2)
        return false;
    std::swap(expected.end()[-1], expected.end()[-2]);
    return axes == expected;
}

int64_t placeOf(int64_t dim, const Axes& axes) {
    return std::ranges::find(axes, dim) - axes.begin();
}

AxisOrder modelOrder(size_t rank) {
    return {identityAxes(rank)};
}

bool isModelOrder(const AxisOrder& order) {
    return isIdentity(order.axes);
}

bool equalOrders(const AxisOrder& a, const AxisOrder& b) {
    return a.axes == b.axes && equalDims(a.parts, b.parts);
}

bool sameSequence(const AxisOrder& a, const AxisOrder& b, const std::vector<Expr>& shape) {
    const Axes left = movingAxes(a, shape), right = movingAxes(b, shape);
    if (std::ranges::is_sorted(left) || std::ranges::is_sorted(right))
        return std::ranges::is_sorted(left) && std::ranges::is_sorted(right);
    return left == right && equalDims(a.parts, b.parts);
}

std::vector<Expr> shapeIn(const AxisOrder& order, const std::vector<Expr>& shape) {
    return order.parts.empty() ? permuted(shape, order.axes) : shape;
}

std::optional<std::vector<DimGroup>> groupsOfReshape(const std::vector<Expr>& from, const std::vector<Expr>& to) {
    if (from.size() > reshapedDims || to.size() > reshapedDims)
        return std::nullopt;
    const std::vector<Expr> before = prefixProducts(from), after = prefixProducts(to);
    std::vector<DimGroup> groups;
    size_t i = 0, j = 0;
    DimGroup open; // not yet both of something and something
    while (i < from.size() || j < to.size()) {
        const auto cut = nextCut(before, after, i, j);
        if (!cut)
            return std::nullopt;
        std::tie(i, j) = *cut;
        open.fromEnd = i;
        open.toEnd = j;
        if (open.fromEnd > open.from && open.toEnd > open.to) {
            groups.push_back(open);
            open = {i, i, j, j};
        }
    }
    if (!groups.empty()) {
        groups.back().fromEnd = from.size();
        groups.back().toEnd = to.size();
    } else if (!from.empty()) {
        groups.push_back({0, from.size(), 0, to.size()});
    }
    return groups;
}

std::optional<Axes> throughReshape(const std::vector<Expr>& from, const std::vector<Expr>& to, const Axes& axes) {
    const auto groups = groupsOfReshape(from, to);
    if (!groups || (groups->empty() && !to.empty()))
        return std::nullopt;
    std::vector<size_t> groupOf(from.size());
    std::vector<bool> holdsMoving(groups->size());
    for (size_t g = 0; g < groups->size(); ++g)
        for (size_t dim = (*groups)[g].from; dim < (*groups)[g].fromEnd; ++dim) {
            groupOf[dim] = g;
            holdsMoving[g] = holdsMoving[g] || !isOne(from[dim]);
        }
    std::vector<bool> seen(groups->size());
    Axes result;
    std::optional<size_t> last;
    int64_t previous = -1;
    for (int64_t axis : axes) {
        const auto dim = static_cast<size_t>(axis);
        const size_t g = groupOf[dim];
        if (isOne(from[dim]) && (holdsMoving[g] || seen[g]))
            continue;
        if (last == g && holdsMoving[g]) {
            if (axis < previous)
                return std::nullopt;
        } else {
            if (seen[g])
                return std::nullopt;
            seen[g] = true;
            for (size_t made = (*groups)[g].to; made < (*groups)[g].toEnd; ++made)
                result.push_back(static_cast<int64_t>(made));
        }
        if (holdsMoving[g]) {
            last = g;
            previous = axis;
        }
    }
    return result;
}

std::optional<AxisOrder> withinReshape(const std::vector<Expr>& from, const std::vector<Expr>& to, const Axes& axes) {
    const auto groups = groupsOfReshape(from, to);
    if (!groups)
        return std::nullopt;
    for (const DimGroup& group : *groups) {
        bool stays = true;
        for (size_t dim = group.from; dim < group.fromEnd; ++dim) {
            const auto axis = static_cast<size_t>(axes[dim]);
            if (axis < group.from || axis >= group.fromEnd)
                return std::nullopt;
            stays &= axis == dim;
        }
        if (!stays && group.toEnd - group.to != 1)
            return std::nullopt;
    }
    return AxisOrder{axes, from};
}

} // namespace lathe::relay
