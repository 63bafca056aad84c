// SPDX-License-Identifier: Apache-2.0
//
// Orders of axes as values: how a tensor's dims can be written one after the other, how two such orders make one, and
// what becomes of one where dims are dropped, merged or split.
//
// An order says nothing of sizes: height, width and channels that are equally many stay what they are. Only dims of
// size 1 are looked at, since they can stand anywhere without an element changing its place.
#pragma once

#include "relay/op.h"

#include "arith/expr.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lathe::relay {

using arith::Expr;

/// A permutation as `transpose` has it: axis i of what is made is axis axes[i] of what there is.
using Axes = std::vector<int64_t>;

Axes identityAxes(size_t rank);
bool isIdentity(const Axes& axes);
Axes inverse(const Axes& axes);
/// What taking `first` and of that `second` gives.
Axes compose(const Axes& first, const Axes& second);
/// The order in which those dims stand that are kept, counted among themselves.
Axes ofKept(const Axes& axes, const std::vector<bool>& kept);
/// Whether they keep all but the last two, which they swap.
bool swapsLastTwo(const Axes& axes);
/// Where a dim stands.
int64_t placeOf(int64_t dim, const Axes& axes);

template <class T>
std::vector<T> permuted(const std::vector<T>& values, const Axes& axes) {
    std::vector<T> result;
    result.reserve(axes.size());
    for (int64_t axis : axes)
        result.push_back(values[static_cast<size_t>(axis)]);
    return result;
}

/// In which order a value stands. With `parts` its dims are first split into those, which are then permuted and
/// merged again: elements change places, but only within a dim.
struct AxisOrder {
    Axes axes;
    std::vector<Expr> parts = {};
};

AxisOrder modelOrder(size_t rank);
bool isModelOrder(const AxisOrder& order);
bool equalOrders(const AxisOrder& a, const AxisOrder& b);
/// Whether a value of this shape has its elements in one sequence in both orders: they differ by dims of size 1 at
/// most.
bool sameSequence(const AxisOrder& a, const AxisOrder& b, const std::vector<Expr>& shape);
/// The shape in that order.
std::vector<Expr> shapeIn(const AxisOrder& order, const std::vector<Expr>& shape);

/// Dims that a reshape makes of dims: [to, toEnd) of [from, fromEnd), as few as can be told. Dims of size 1 that come
/// or go are with a neighbour.
struct DimGroup {
    size_t from = 0, fromEnd = 0, to = 0, toEnd = 0;
};
/// Nothing if the two cannot be told to have as many elements.
std::optional<std::vector<DimGroup>> groupsOfReshape(const std::vector<Expr>& from, const std::vector<Expr>& to);
/// The order of the reshaped dims that an order of the dims amounts to; nothing if it tears dims apart that are
/// merged.
std::optional<Axes> throughReshape(const std::vector<Expr>& from, const std::vector<Expr>& to, const Axes& axes);
/// The same where only dims change places that become one: the result's elements then stand in another order within
/// it.
std::optional<AxisOrder> withinReshape(const std::vector<Expr>& from, const std::vector<Expr>& to, const Axes& axes);

// ---- how calls are written ----------------------------------------------------------------------------------------

struct OrderedOperand {
    AxisOrder order = {};
    /// What it is reshaped to then: dims of size 1 where broadcasting needs them.
    std::optional<std::vector<Expr>> shape = {};
};

/// A call that computes the same with operands in other orders. Of an absent operand nothing is said.
struct OrderedCall {
    AttrsPtr attrs;
    std::vector<OrderedOperand> operands;
    AxisOrder result;
    bool sumsOtherwise = false; // in another sequence: the same over the reals
};

/// In the place of an operand's number: the order is that of the result.
inline constexpr int resultOrder = -1;

} // namespace lathe::relay
