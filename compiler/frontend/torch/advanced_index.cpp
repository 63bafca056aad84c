// SPDX-License-Identifier: Apache-2.0
//
// One tensor of integers is a gather along its dim. Several become rows of places: x with the dims that they index in
// front is read by GatherNd and written by ScatterNd.
#include "frontend/torch/advanced_index.h"

#include "frontend/common/broadcast.h"
#include "frontend/common/scatter.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch {
namespace {

bool isMask(DataType dtype) {
    return dtype.isBool() || dtype == types::UInt8; // the latter is what old programs have
}

Ints inverseOf(const Ints& axes) {
    Ints inverse(axes.size());
    for (size_t i = 0; i < axes.size(); ++i)
        inverse[static_cast<size_t>(axes[i])] = static_cast<int64_t>(i);
    return inverse;
}

} // namespace

AdvancedIndex::AdvancedIndex(Call& call, Var x, const std::vector<Var>& indices) : call_(call), b_(call.b), x_(x) {
    if (call.failed())
        return;
    const int64_t rank = b_.rank(x);
    int64_t at = 0;
    for (const Var& index : indices) {
        if (call.failed())
            return;
        const bool masks = index && isMask(b_.dtype(index));
        const int64_t taken = masks ? b_.rank(index) : 1;
        if (at + taken > rank) {
            call.fail(fmt::format("there are more indices than the {} dims of the tensor", rank));
            return;
        }
        if (masks) {
            addMask(index, at);
        } else if (index) {
            if (!b_.dtype(index).isInt()) {
                call.fail(fmt::format("an index is {}", toString(b_.dtype(index))));
                return;
            }
            dims_.push_back(at);
            places_.push_back(cast(b_, index, types::Int64));
        }
        at += taken;
    }
    if (static_cast<int64_t>(places_.size()) != (onlyMask_ ? b_.rank(onlyMask_) : 0))
        onlyMask_ = {};
    places_ = broadcastTogether(b_, std::move(places_));
    if (!call.failed() && !places_.empty())
        sets_ = b_.shape(places_[0]);
}

void AdvancedIndex::addMask(Var mask, int64_t at) {
    const int64_t rank = b_.rank(mask);
    if (rank == 0)
        return call_.refuse("an index that is a single bool is not supported", "index by a mask with dims");
    const Dims all = b_.shape(x_);
    mask = cast(b_, withDims(b_, mask, Dims(all.begin() + at, all.begin() + at + rank)), types::Bool);
    onlyMask_ = mask;
    const Var found = b_.call(Op::NonZero, {mask});
    const Expr count = dim(b_, found, 1);
    for (int64_t i = 0; i < rank; ++i) {
        dims_.push_back(at + i);
        places_.push_back(reshape(b_, sliceAxis(b_, found, 0, i, 1), {count}));
    }
}

bool AdvancedIndex::isAdjacent() const {
    return dims_.empty() || dims_.back() - dims_.front() + 1 == static_cast<int64_t>(dims_.size());
}

Ints AdvancedIndex::indexedFirst() const {
    Ints axes = dims_;
    for (int64_t axis = 0; axis < b_.rank(x_); ++axis)
        if (!std::ranges::binary_search(dims_, axis))
            axes.push_back(axis);
    return axes;
}

Ints AdvancedIndex::resultAxes() const {
    const auto sets = static_cast<int64_t>(sets_.size());
    const int64_t whole = b_.rank(x_) - static_cast<int64_t>(dims_.size());
    const int64_t before = isAdjacent() ? dims_.front() : 0;
    Ints axes = iotaInts(sets, sets + before);
    for (const int64_t axis : iotaInts(0, sets))
        axes.push_back(axis);
    for (const int64_t axis : iotaInts(sets + before, sets + whole))
        axes.push_back(axis);
    return axes;
}

Dims AdvancedIndex::resultShape() const {
    Dims front = sets_;
    const Dims all = b_.shape(x_);
    for (size_t i = 0; i < all.size(); ++i)
        if (!std::ranges::binary_search(dims_, static_cast<int64_t>(i)))
            front.push_back(all[i]);
    Dims shape;
    for (const int64_t axis : resultAxes())
        shape.push_back(front[static_cast<size_t>(axis)]);
    return shape;
}

Var AdvancedIndex::joinedPlaces() {
    const auto last = static_cast<int64_t>(sets_.size());
    std::vector<Var> columns;
    for (const Var& place : places_)
        columns.push_back(unsqueeze(b_, place, {last}));
    return columns.size() == 1 ? columns[0] : concat(b_, columns, last);
}

Var AdvancedIndex::read() {
    if (call_.failed() || dims_.empty())
        return x_;
    if (dims_.size() == 1)
        return gather(b_, x_, places_[0], dims_[0]);
    const Var front = transpose(b_, x_, indexedFirst());
    return transpose(b_, b_.call(Op::GatherNd, {front, joinedPlaces()}, relay::GatherNdAttrs{}), resultAxes());
}

Var AdvancedIndex::whereMasked(Var values, bool accumulate) {
    const Dims shape = b_.shape(values);
    if (!onlyMask_ || !arith::isConst(product(shape), 1))
        return {};
    const int64_t masked = b_.rank(onlyMask_), behind = b_.rank(x_) - dims_.front() - masked;
    const Var mask = unsqueeze(b_, onlyMask_, iotaInts(masked, masked + behind));
    const Var value = reshape(b_, values, {});
    return where(b_, mask, accumulate ? add(b_, x_, value) : value, x_);
}

Var AdvancedIndex::written(Var values, bool accumulate) {
    if (call_.failed())
        return {};
    values = cast(b_, values, b_.dtype(x_));
    const bool isBool = !b_.failed() && b_.dtype(x_).isBool();
    if (b_.failed())
        return {};
    if (dims_.empty()) {
        const Var all = expand(b_, values, b_.shape(x_));
        return !accumulate ? all : isBool ? b_.call(Op::LogicalOr, {x_, all}) : add(b_, x_, all);
    }
    if (!isBool || !accumulate)
        if (const Var all = whereMasked(values, accumulate))
            return all;
    const Ints first = indexedFirst();
    const Var front = transpose(b_, x_, first),
              updates = transpose(b_, expand(b_, values, resultShape()), inverseOf(resultAxes()));
    const char* reduction = !accumulate ? "none" : isBool ? "max" : "add";
    return transpose(b_, scatter(b_, Op::ScatterNd, front, joinedPlaces(), updates, reduction), inverseOf(first));
}

void AdvancedIndex::clampPlaces() {
    for (size_t i = 0; i < places_.size(); ++i) {
        const Var last = b_.scalarOf(arith::simplify(dim(b_, x_, dims_[i]) - 1));
        places_[i] = maximum(b_, minimum(b_, places_[i], last), b_.scalarInt(0));
    }
    onlyMask_ = {};
}

} // namespace lathe::frontend::torch
