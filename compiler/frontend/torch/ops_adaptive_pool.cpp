// SPDX-License-Identifier: Apache-2.0
//
// Pools that are told the size of their result: window i of n over a dim of m elements is from floor(i m / n) to
// ceil((i + 1) m / n). Where n does not divide m windows differ in size and overlap, so each is a slice. A dim is
// reduced after the other, the last first.
#include "frontend/torch/ops.h"
#include "frontend/torch/window.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

/// Each window of a dim is an operator of its own.
constexpr int64_t mostWindows = 1024;

struct Slice {
    Expr begin, size;
};
/// The windows of a dim.
std::vector<Slice> windowsOf(const Expr& size, int64_t count) {
    std::vector<Slice> windows;
    for (int64_t i = 0; i < count; ++i) {
        const Expr begin = arith::simplify(arith::floorDiv(size * i, count));
        windows.push_back({begin, arith::simplify(arith::ceilDiv(size * (i + 1), count) - begin)});
    }
    return windows;
}

/// The sizes that are asked for, in range.
Ints outputSizes(Call& call, size_t spatial) {
    const Ints sizes = perDim(call, "output_size", spatial);
    for (const int64_t size : sizes)
        if (size > mostWindows)
            call.refuse(fmt::format("an adaptive pool of {} windows is not supported", size),
                        fmt::format("at most {} along a dim", mostWindows));
    return sizes;
}

/// Whether all windows have one size and lie side by side.
std::optional<int64_t> evenWindow(const Expr& size, int64_t count) {
    const auto known = arith::asInt(size);
    return known && count > 0 && *known > 0 && *known % count == 0 ? std::optional(*known / count) : std::nullopt;
}

/// A pool whose windows are even along all dims; nothing if they are not.
std::optional<PoolAttrs> evenPool(Builder& b, Var x, const Ints& sizes) {
    PoolAttrs attrs;
    for (size_t i = 0; i < sizes.size(); ++i) {
        const auto window = evenWindow(dim(b, x, static_cast<int64_t>(i) + 2), sizes[i]);
        if (!window)
            return std::nullopt;
        attrs.kernel.push_back(*window);
        attrs.dilations.push_back(1);
        attrs.before.emplace_back(0);
        attrs.after.emplace_back(0);
    }
    attrs.strides = attrs.kernel;
    return attrs;
}

Var meansOf(Builder& b, Var x, const Ints& sizes) {
    if (b.failed())
        return {};
    const bool isOne = std::ranges::all_of(sizes, [](int64_t size) { return size == 1; });
    if (isOne)
        return reduce(b, "mean", x, iotaInts(2, b.rank(x)), true);
    if (const auto attrs = evenPool(b, x, sizes))
        return b.call(Op::AvgPool, {x}, *attrs);
    return inSingle(b, x, [&](Var v) {
        for (size_t i = sizes.size(); i-- > 0 && !b.failed();) {
            const auto axis = static_cast<int64_t>(i) + 2;
            std::vector<Var> parts;
            for (const Slice& window : windowsOf(dim(b, v, axis), sizes[i]))
                parts.push_back(reduce(b, "mean", sliceAxis(b, v, axis, window.begin, window.size), {axis}, true));
            v = parts.empty() ? sliceAxis(b, v, axis, 0, 0) : concat(b, parts, axis);
        }
        return v;
    });
}

template <size_t spatial>
void convertAdaptiveMean(Call& call, Builder& b) {
    const Ints sizes = outputSizes(call, spatial);
    call.give(
        batched(call, call.tensor("self"), spatial, [&](Var x) -> std::vector<Var> { return {meansOf(b, x, sizes)}; }));
}

/// Maxima, and where each stands in its channel's own dims: the first of equals, as rows come before columns.
std::vector<Var> maximaOf(Builder& b, Var x, const Ints& sizes) {
    if (b.failed())
        return {};
    const Dims shape = b.shape(x), spatial(shape.begin() + 2, shape.end());
    Dims plane = shape;
    plane[0] = plane[1] = 1;
    Var places = expand(b, reshape(b, iota(b, {product(spatial)}, 0, types::Int64), plane), shape);
    for (size_t i = sizes.size(); i-- > 0 && !b.failed();) {
        const auto axis = static_cast<int64_t>(i) + 2;
        AxisAttrs along;
        along.axis = axis;
        ArgReduceAttrs best;
        best.axis = axis;
        best.keepDims = true;
        std::vector<Var> values, found;
        for (const Slice& window : windowsOf(dim(b, x, axis), sizes[i])) {
            const Var part = sliceAxis(b, x, axis, window.begin, window.size);
            values.push_back(reduce(b, "max", part, {axis}, true));
            found.push_back(b.call(
                Op::GatherElements,
                {sliceAxis(b, places, axis, window.begin, window.size), b.call(Op::ArgReduce, {part}, best)}, along));
        }
        x = values.empty() ? sliceAxis(b, x, axis, 0, 0) : concat(b, values, axis);
        places = found.empty() ? sliceAxis(b, places, axis, 0, 0) : concat(b, found, axis);
    }
    return {x, places};
}

template <size_t spatial>
void convertAdaptiveMax(Call& call, Builder& b) {
    const Ints sizes = outputSizes(call, spatial);
    call.give(batched(call, call.tensor("self"), spatial, [&](Var x) { return maximaOf(b, x, sizes); }));
}

constexpr auto adaptivePoolRows = std::to_array<Row>({
    {"aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor", convertAdaptiveMean<1>, Reduction},
    {"aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", convertAdaptiveMean<2>, Reduction},
    {"aten::adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", convertAdaptiveMean<3>, Reduction},
    {"aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", convertAdaptiveMean<2>, Reduction},
    {"aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", convertAdaptiveMean<3>, Reduction},
    {"aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)", convertAdaptiveMax<1>,
     Reduction},
    {"aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)", convertAdaptiveMax<2>,
     Reduction},
    {"aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)", convertAdaptiveMax<3>,
     Reduction},
});

} // namespace

std::span<const Row> rowsOfAdaptivePools() {
    return adaptivePoolRows;
}

} // namespace lathe::frontend::torch
