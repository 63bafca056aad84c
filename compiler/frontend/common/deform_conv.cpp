// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/deform_conv.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend {
namespace {

constexpr int64_t mostTaps = 1 << 30, mostGroups = 1 << 16; // sizes made of them do not overflow

/// What the taps' operands are made of.
struct TapGrid {
    const WindowAttributes& at;
    Expr images;        // batch
    int64_t groups = 1; // that move their taps for themselves
    int64_t taps = 1;
    Dims out;

    size_t spatial() const { return out.size(); }
    /// [first…, kernel…, middle…, out…]
    Dims dims(Dims first, const Dims& middle = {}) const {
        first.insert(first.end(), at.kernel.begin(), at.kernel.end());
        first.insert(first.end(), middle.begin(), middle.end());
        first.insert(first.end(), out.begin(), out.end());
        return first;
    }
    /// The same elements as images: [batch * groups, channels, taps * out1, out2 …]
    Dims asImages(const Expr& channels) const {
        Dims shape = {arith::simplify(images * groups), channels, arith::simplify(out[0] * taps)};
        shape.insert(shape.end(), out.begin() + 1, out.end());
        return shape;
    }
};

/// The number of taps; nothing, and a fault, if a size is out of range.
std::optional<int64_t> tapsOf(Builder& b, const WindowAttributes& at, int64_t groups, int64_t offsetGroups) {
    const auto fits = [](int64_t pad) { return pad >= 0 && pad <= mostExtent; };
    int64_t taps = 1;
    for (const int64_t size : at.kernel)
        if (size < 1 || __builtin_mul_overflow(taps, size, &taps) || taps > mostTaps)
            taps = mostTaps + 1;
    const auto counts = [](int64_t value) { return value >= 1 && value <= mostGroups; };
    if (taps <= mostTaps && isInRange(at) && std::ranges::all_of(at.pads, fits) && counts(groups) &&
        counts(offsetGroups))
        return taps;
    b.fail("kernel, strides, dilations, padding or groups are out of range");
    return std::nullopt;
}

/// Where taps read along dim i if nothing moves them: [1, 1, kernel…, out…], of which all but two dims are 1.
Var ownPlaces(Builder& b, const TapGrid& grid, size_t i, DataType dtype) {
    const auto rank = static_cast<int64_t>(2 + 2 * grid.spatial()), axis = static_cast<int64_t>(2 + i);
    const auto along = [&](const Expr& size, int64_t step, int64_t at) {
        return alongAxis(b, mul(b, iota(b, {size}, 0, types::Int64), b.scalarInt(step)), at, rank);
    };
    const Var place = add(b, along(grid.at.kernel[i], grid.at.dilations[i], axis),
                          along(grid.out[i], grid.at.strides[i], axis + static_cast<int64_t>(grid.spatial())));
    return cast(b, add(b, place, b.scalarInt(-grid.at.pads[i])), dtype);
}

/// Where all taps read, as a grid of elements with the innermost dim first.
Var placesOfTaps(Builder& b, Var offset, const TapGrid& grid) {
    const auto spatial = static_cast<int64_t>(grid.spatial());
    Dims given = {grid.images, Expr(grid.groups * grid.taps * spatial)};
    given.insert(given.end(), grid.out.begin(), grid.out.end());
    offset = withDims(b, offset, given);
    const DataType work = computeType(b, offset);
    const Var byDim = reshape(b, offset, grid.dims({grid.images, grid.groups}, {spatial}));
    const auto after = grid.asImages(1);
    std::vector<Var> columns;
    for (int64_t i = spatial; i-- > 0 && !b.failed();) {
        const Var moved = reshape(b, sliceAxis(b, byDim, 2 + spatial, i, 1), grid.dims({grid.images, grid.groups}));
        const Var place = add(b, cast(b, moved, work), ownPlaces(b, grid, static_cast<size_t>(i), work));
        Dims column(after);
        column.erase(column.begin() + 1);
        column.push_back(1);
        columns.push_back(reshape(b, place, column));
    }
    return b.failed() ? Var{} : concat(b, columns, spatial + 1);
}

/// x as the taps read it, [N, C, taps, out places].
Var columnsOf(Builder& b, Var x, Var offset, Var mask, const TapGrid& grid) {
    const Dims shape = b.shape(x);
    const Expr channels = arith::simplify(arith::floorDiv(shape[1], grid.groups));
    Dims images = {arith::simplify(grid.images * grid.groups), channels};
    images.insert(images.end(), shape.begin() + 2, shape.end());
    const Var places = placesOfTaps(b, offset, grid);
    relay::GridSampleAttrs attrs;
    attrs.elements = true;
    Var sampled = b.call(Op::GridSample, {reshape(b, x, images), places}, attrs);
    if (mask && !b.failed()) {
        Dims given = {grid.images, Expr(grid.groups * grid.taps)};
        given.insert(given.end(), grid.out.begin(), grid.out.end());
        const Var weights = reshape(b, withDims(b, mask, given), grid.asImages(1));
        sampled = mul(b, sampled, b.failed() ? Var{} : cast(b, weights, b.dtype(x)));
    }
    return reshape(b, sampled, {grid.images, shape[1], grid.taps, product(grid.out)});
}

} // namespace

Var deformableConvolution(Builder& b, Var x, Var weights, Var offset, Var mask, const WindowAttributes& at,
                          int64_t groups, int64_t offsetGroups) {
    if (!needRank(b, x, 3))
        return {};
    const Dims kernels = b.shape(weights);
    Dims shape = b.shape(x);
    if (shape.size() != kernels.size()) {
        b.fail(fmt::format("the input has {} dims, the weights have {}", shape.size(), kernels.size()));
        return {};
    }
    const std::optional<int64_t> taps = tapsOf(b, at, groups, offsetGroups);
    if (!taps)
        return {};
    shape[1] = arith::simplify(kernels[1] * groups);
    x = assume(b, withDims(b, x, shape), arith::eq(arith::floorMod(shape[1], offsetGroups), 0),
               fmt::format("the channels are a multiple of {} groups of offsets", offsetGroups));
    TapGrid grid{at, shape[0], offsetGroups, *taps, {}};
    for (size_t i = 0; i < at.kernel.size(); ++i) {
        const int64_t reach = at.dilations[i] * (at.kernel[i] - 1) + 1;
        const Expr room = shape[i + 2] + (at.pads[i] + at.pads[i + at.kernel.size()] - reach);
        grid.out.push_back(arith::simplify(arith::floorDiv(room, at.strides[i]) + 1));
    }
    if (b.failed())
        return {};
    const Var columns = columnsOf(b, x, offset, mask, grid);
    const Expr depth = arith::simplify(kernels[1] * *taps);
    const Var rows = reshape(b, weights, {groups, arith::simplify(arith::floorDiv(kernels[0], groups)), depth});
    const Var spread = reshape(b, columns, {shape[0], groups, depth, product(grid.out)});
    Dims result = {shape[0], kernels[0]};
    result.insert(result.end(), grid.out.begin(), grid.out.end());
    return reshape(b, matmul(b, rows, spread, false, false, computeType(b, x)), result);
}

} // namespace lathe::frontend
