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
    Ints steps, sizes; // windows along each dim; the padded image
    int64_t taps = 1, windows = 1, flat = 1;
};

/// Nothing, and a fault, if the windows do not fit the image.
std::optional<Folding> foldingOf(Builder& b, const Columns& at) {
    Folding folding;
    for (size_t i = 0; i < at.image.size(); ++i) {
        for (const int64_t extent :
             {at.image[i], at.kernel[i], at.strides[i], at.dilations[i], at.before[i], at.after[i]}) {
            if (extent < 0) {
                b.fail(fmt::format("an extent of image, block, strides, dilations or pads is {}", extent));
                return std::nullopt;
            }
            if (extent > mostOfExtent) {
                refuseTooLarge(b);
                return std::nullopt;
            }
        }
        const int64_t size = at.image[i] + at.before[i] + at.after[i], reach = (at.kernel[i] - 1) * at.dilations[i] + 1;
        if (at.strides[i] < 1 || at.dilations[i] < 1 || at.kernel[i] < 1 || size < reach) {
            b.fail("the windows do not fit the image");
            return std::nullopt;
        }
        if (size > mostOfExtent) {
            refuseTooLarge(b);
            return std::nullopt;
        }
        folding.sizes.push_back(size);
        folding.steps.push_back((size - reach) / at.strides[i] + 1);
        folding.taps *= at.kernel[i];
        folding.windows *= folding.steps[i];
        folding.flat *= size;
        if (folding.taps > limits::tensorElements >> 16 || folding.windows > limits::tensorElements >> 16 ||
            folding.flat > limits::tensorElements >> 8) {
            refuseTooLarge(b);
            return std::nullopt;
        }
    }
    return folding;
}

/// [tap dims…, window dims…]: sums over dims of (window · stride + tap · dilation) · extent of the dims behind.
Var flatPlaces(Builder& b, const Columns& at, const Folding& folding) {
    const size_t spatial = at.image.size();
    Dims grid = toDims(at.kernel);
    for (const int64_t step : folding.steps)
        grid.push_back(step);
    Var places = b.scalarInt(0);
    int64_t extent = 1;
    for (size_t i = spatial; i-- > 0;) {
        const Var tap = iota(b, grid, static_cast<int64_t>(i), types::Int64),
                  window = iota(b, grid, static_cast<int64_t>(i + spatial), types::Int64);
        places = add(b, places,
                     add(b, mul(b, tap, b.scalarInt(at.dilations[i] * extent)),
                         mul(b, window, b.scalarInt(at.strides[i] * extent))));
        extent *= folding.sizes[i];
    }
    return places;
}

} // namespace

Var framePlaces(Builder& b, const Expr& count, int64_t step, const Expr& length, int64_t dilation) {
    const Dims grid = {count, length};
    Var within = iota(b, grid, 1, types::Int64);
    if (dilation != 1)
        within = mul(b, within, b.scalarInt(dilation));
    return add(b, mul(b, iota(b, grid, 0, types::Int64), b.scalarInt(step)), within);
}

Var imageOfColumns(Builder& b, Var x, const Columns& columns) {
    const auto folding = foldingOf(b, columns);
    if (!folding || b.failed())
        return {};
    const Expr channels = arith::simplify(arith::floorDiv(dim(b, x, 1), folding->taps));
    const Expr rows = arith::simplify(dim(b, x, 0) * channels);
    const Expr cells = folding->taps * folding->windows;
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
