// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing at indices that are data. Negative indices count from the end; an index out of range fails.
// Gathers are tensor expressions over a checked copy of the indices; scatters are loops: copy, then one update after
// the other, so that equal indices combine in a fixed order. Updates of different rows run in parallel where rows
// cannot meet.
#include "topi/families.h"
#include "topi/loops.h"

namespace lathe::topi {

namespace {

constexpr const char* outOfRange = "index out of range";

Expr inRange(const Expr& value, const Expr& extent) {
    const Expr index = toIndex(value);
    return arith::logicalAnd(arith::ge(index, Expr(0) - extent), arith::lt(index, extent));
}

/// int64, none of them negative: what reads them need not ask again.
TensorPtr checkedIndices(const TensorPtr& indices, const std::function<Expr(const std::vector<Var>&)>& extent,
                         int origin) {
    return te::checked(
        "gather_indices", indices, tir::CheckKind::IndexOutOfRange, outOfRange,
        [&](const std::vector<Var>& i, const Expr& value) { return inRange(value, extent(i)); }, origin,
        [&](const std::vector<Var>& i, const Expr& value) {
            return arith::cast(wrapIndex(value, extent(i)), types::Int64);
        });
}

Expr combined(const std::string& reduction, const Expr& old, const Expr& update) {
    if (reduction == "none")
        return update;
    const DataType dtype = old.dtype();
    const Expr a = widen(old), b = widen(update);
    if (reduction == "add")
        return convert(a + b, dtype);
    if (reduction == "mul")
        return convert(a * b, dtype);
    if (reduction == "max")
        return dtype.isBool() ? arith::logicalOr(a, b) : convert(arith::max(a, b), dtype);
    LATHE_ASSERT(reduction == "min", "unknown reduction of a scatter");
    return dtype.isBool() ? arith::logicalAnd(a, b) : convert(arith::min(a, b), dtype);
}

Stmt copyAll(const Loops& l, const BufferPtr& from, const BufferPtr& to) {
    return l.nest(
        "c", from->shape,
        [&](const std::vector<Var>& i) { return l.store(to, asIndices(i), load(from, asIndices(i))); },
        ForKind::Parallel);
}

} // namespace

Tensors computeGather(const CallContext& call) {
    const TensorPtr& x = call.args[0];
    const size_t axis = axisOf(relay::attrs<relay::AxisAttrs>(call.attrs).axis, x->shape.size());
    const size_t indexRank = call.args[1]->shape.size();
    const TensorPtr indices =
        checkedIndices(call.args[1], [&](const std::vector<Var>&) { return x->shape[axis]; }, call.origin);
    return {te::compute(
        "gather", resultTensor(call).shape,
        [&](const std::vector<Var>& i) {
            const auto begin = i.begin() + static_cast<long>(axis);
            const Indices at(begin, begin + static_cast<long>(indexRank));
            Indices from(i.begin(), begin);
            from.push_back(toIndex((*indices)(at)));
            from.insert(from.end(), begin + static_cast<long>(indexRank), i.end());
            return (*x)(from);
        },
        call.origin)};
}

Tensors computeGatherElements(const CallContext& call) {
    const TensorPtr& x = call.args[0];
    const size_t axis = axisOf(relay::attrs<relay::AxisAttrs>(call.attrs).axis, x->shape.size());
    const TensorPtr indices =
        checkedIndices(call.args[1], [&](const std::vector<Var>&) { return x->shape[axis]; }, call.origin);
    return {te::compute(
        "gather_elements", indices->shape,
        [&](const std::vector<Var>& i) {
            Indices from = asIndices(i);
            from[axis] = toIndex((*indices)(asIndices(i)));
            return (*x)(from);
        },
        call.origin)};
}

Tensors computeGatherNd(const CallContext& call) {
    const TensorPtr& x = call.args[0];
    const auto batch = static_cast<size_t>(relay::attrs<relay::GatherNdAttrs>(call.attrs).batchDims);
    const size_t outer = call.args[1]->shape.size() - 1;
    const std::optional<int64_t> length = arith::asInt(call.args[1]->shape.back());
    LATHE_ASSERT(length, "the last dim of gather_nd's indices is not constant");
    const Shape extents(x->shape.begin() + static_cast<long>(batch),
                        x->shape.begin() + static_cast<long>(batch) + *length);
    const TensorPtr indices =
        *length == 0
            ? call.args[1]
            : checkedIndices(
                  call.args[1], [&](const std::vector<Var>& i) { return selectAt(i.back(), extents); }, call.origin);
    return {te::compute(
        "gather_nd", resultTensor(call).shape,
        [&](const std::vector<Var>& i) {
            Indices at(i.begin(), i.begin() + static_cast<long>(outer));
            Indices from(i.begin(), i.begin() + static_cast<long>(batch));
            at.push_back(0);
            for (size_t component = 0; component < extents.size(); ++component) {
                at.back() = static_cast<int64_t>(component);
                from.push_back(toIndex((*indices)(at)));
            }
            from.insert(from.end(), i.begin() + static_cast<long>(outer), i.end());
            return (*x)(from);
        },
        call.origin)};
}

tir::PrimFuncPtr buildScatterElements(const std::string& name, const CallContext& call) {
    const auto& attrs = relay::attrs<relay::ScatterAttrs>(call.attrs);
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr &x = buffers.args[0], &indices = buffers.args[1], &updates = buffers.args[2],
                    &y = buffers.results[0];
    const size_t axis = axisOf(attrs.axis, x->shape.size());
    // Only updates along the axis meet; the outermost other dim separates them.
    const Stmt update = l.nest(
        "i", indices->shape,
        [&](const std::vector<Var>& i) {
            return l.let("index", toIndex(load(indices, asIndices(i))), [&](const Var& index) {
                Indices at = asIndices(i);
                at[axis] = wrapIndex(index, x->shape[axis]);
                return l.all({l.check(inRange(index, x->shape[axis]), tir::CheckKind::IndexOutOfRange, outOfRange),
                              l.store(y, at, combined(attrs.reduction, load(y, at), load(updates, asIndices(i))))});
            });
        },
        axis == 0 ? ForKind::Serial : ForKind::Parallel);
    return buffers.kernel(name, l.all({copyAll(l, x, y), update}));
}

tir::PrimFuncPtr buildScatterNd(const std::string& name, const CallContext& call) {
    const auto& attrs = relay::attrs<relay::ScatterAttrs>(call.attrs);
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr &x = buffers.args[0], &indices = buffers.args[1], &updates = buffers.args[2],
                    &y = buffers.results[0];
    const std::optional<int64_t> length = arith::asInt(indices->shape.back());
    LATHE_ASSERT(length, "the last dim of scatter_nd's indices is not constant");
    const Shape outer(indices->shape.begin(), indices->shape.end() - 1);
    const Shape inner(x->shape.begin() + *length, x->shape.end());
    const Stmt update = l.nest("i", outer, [&](const std::vector<Var>& i) {
        Indices at;
        std::vector<Stmt> checks;
        for (int64_t component = 0; component < *length; ++component) {
            Indices from = asIndices(i);
            from.push_back(component);
            const Expr& extent = x->shape[static_cast<size_t>(component)];
            const Expr value = load(indices, from);
            checks.push_back(l.check(inRange(value, extent), tir::CheckKind::IndexOutOfRange, outOfRange));
            at.push_back(wrapIndex(value, extent));
        }
        checks.push_back(l.nest("j", inner, [&](const std::vector<Var>& j) {
            Indices to = at, from = asIndices(i);
            to.insert(to.end(), j.begin(), j.end());
            from.insert(from.end(), j.begin(), j.end());
            return l.store(y, to, combined(attrs.reduction, load(y, to), load(updates, from)));
        }));
        return l.all(std::move(checks));
    });
    return buffers.kernel(name, l.all({copyAll(l, x, y), update}));
}

} // namespace lathe::topi
