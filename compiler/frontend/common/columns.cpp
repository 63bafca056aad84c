// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/columns.h"

#include "base/limits.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend {
namespace {

constexpr int64_t mostOfExtent = 1 << 24;

void refuseTooLarge(Builder& b) {
    b.fail("the image is too large", {}, ErrorKind::Unsupported);
}

/// What becomes of columns along their dims.
struct Folding {
    Var columns; // which fit the image
    Dims grid;   // taps along each dim, then windows
    Dims sizes;  // the padded image
    Expr taps = 1, windows = 1, flat = 1;
};

/// False, and a fault, if an extent is negative, or so large that sums of extents might overflow.
bool areExtents(Builder& b, const Columns& at, size_t i) {
    for (const Expr& given : {at.image[i], at.kernel[i], Expr(at.strides[i]), Expr(at.dilations[i]), Expr(at.before[i]),
                              Expr(at.after[i])}) {
        const int64_t extent = arith::asInt(given).value_or(1);
        if (extent < 0)
            b.fail(fmt::format("an extent of image, block, strides, dilations or pads is {}", extent));
        else if (extent > mostOfExtent)
            refuseTooLarge(b);
    }
    return !b.failed();
}

/// Nothing, and a fault, if the windows do not fit the image.
std::optional<Folding> foldingOf(Builder& b, Var x, const Columns& at) {
    Folding folding;
    folding.columns = x;
    Dims windows;
    for (size_t i = 0; i < at.image.size(); ++i) {
        if (!areExtents(b, at, i))
            return std::nullopt;
        if (at.strides[i] < 1 || at.dilations[i] < 1) {
            b.fail("the windows do not fit the image");
            return std::nullopt;
        }
        const Expr size = arith::simplify(at.image[i] + at.before[i] + at.after[i]),
                   reach = arith::simplify((at.kernel[i] - 1) * at.dilations[i] + 1);
        folding.columns =
            assume(b, folding.columns, arith::logicalAnd(arith::ge(at.kernel[i], 1), arith::ge(size, reach)),
                   "the windows fit the image");
        folding.grid.push_back(arith::simplify(arith::max(at.kernel[i], 1)));
        folding.sizes.push_back(arith::simplify(arith::max(size, 1)));
        windows.push_back(arith::simplify(arith::floorDiv(arith::max(size - reach, 0), at.strides[i]) + 1));
        folding.taps = arith::simplify(folding.taps * folding.grid[i]);
        folding.windows = arith::simplify(folding.windows * windows[i]);
        folding.flat = arith::simplify(folding.flat * folding.sizes[i]);
        const auto isMore = [](const Expr& count, int64_t most) { return arith::asInt(count).value_or(0) > most; };
        if (isMore(folding.taps, limits::tensorElements >> 16) ||
            isMore(folding.windows, limits::tensorElements >> 16) || isMore(folding.flat, limits::tensorElements >> 8))
            refuseTooLarge(b);
        if (b.failed())
            return std::nullopt;
    }
    folding.grid.insert(folding.grid.end(), windows.begin(), windows.end());
    return folding;
}

/// [tap dims…, window dims…]: sums over dims of (window · stride + tap · dilation) · extent of the dims behind.
Var flatPlaces(Builder& b, const Columns& at, const Folding& folding) {
    const size_t spatial = at.image.size();
    Var places = b.scalarInt(0);
    Expr extent = 1;
    for (size_t i = spatial; i-- > 0;) {
        const Var tap = iota(b, folding.grid, static_cast<int64_t>(i), types::Int64),
                  window = iota(b, folding.grid, static_cast<int64_t>(i + spatial), types::Int64);
        places = add(b, places,
                     add(b, mul(b, tap, b.scalarOf(extent * at.dilations[i])),
                         mul(b, window, b.scalarOf(extent * at.strides[i]))));
        extent = arith::simplify(extent * folding.sizes[i]);
    }
    return places;
}

} // namespace

Var framePlaces(Builder& b, const Expr& count, const Expr& step, const Expr& length, int64_t dilation) {
    const Dims grid = {count, length};
    Var within = iota(b, grid, 1, types::Int64);
    if (dilation != 1)
        within = mul(b, within, b.scalarInt(dilation));
    return add(b, mul(b, iota(b, grid, 0, types::Int64), b.scalarOf(step)), within);
}

Var imageOfColumns(Builder& b, Var given, const Columns& columns) {
    const auto folding = foldingOf(b, given, columns);
    if (!folding || b.failed())
        return {};
    const Var x = folding->columns;
    const Expr channels = arith::simplify(arith::floorDiv(dim(b, x, 1), folding->taps));
    const Expr rows = arith::simplify(dim(b, x, 0) * channels);
    const Expr cells = arith::simplify(folding->taps * folding->windows);
    const Var indices = expand(b, reshape(b, flatPlaces(b, columns, *folding), {1, cells}), {rows, cells});
    relay::ScatterAttrs attrs;
    attrs.axis = 1;
    attrs.reduction = "add";
    const Var result = inSingle(b, reshape(b, x, {rows, cells}), [&](Var values) {
        const Var zeros = full(b, scalarLike(b, 0, values), {rows, folding->flat});
        return b.call(Op::ScatterElements, {zeros, indices, values}, attrs);
    });
    Dims shape = {dim(b, x, 0), channels}, before(2, Expr(0)), after(2, Expr(0));
    for (size_t i = 0; i < columns.image.size(); ++i) {
        shape.push_back(folding->sizes[i]);
        before.push_back(-columns.before[i]);
        after.push_back(-columns.after[i]);
    }
    return pad(b, reshape(b, result, shape), "constant", before, after);
}

} // namespace lathe::frontend
