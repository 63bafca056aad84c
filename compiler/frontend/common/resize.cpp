// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/resize.h"

#include "frontend/common/integer_operands.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace lathe::frontend {
namespace {

/// floor(size * scale): the scale is what the file says, a whole number over a power of two. Of a known
/// size the product is a double's.
Expr scaledSize(const Expr& size, double scale) {
    if (const auto known = arith::asInt(size))
        return static_cast<int64_t>(std::min(std::floor(static_cast<double>(*known) * scale), 0x1p62));
    int exponent = 0;
    auto numerator = static_cast<int64_t>(std::ldexp(std::frexp(static_cast<float>(scale), &exponent), 24));
    int shift = 24 - exponent; // scale = numerator / 2^shift
    for (; shift > 0 && numerator % 2 == 0; --shift)
        numerator /= 2;
    if (shift > 62)
        return 0; // no dim is that large
    if (shift < 0)
        numerator <<= -shift;
    // The product must not overflow: sizes from 2^39 on count as that.
    const Expr bounded = arith::min(size, Expr(std::numeric_limits<int64_t>::max() / numerator));
    return arith::simplify(arith::floorDiv(bounded * numerator, int64_t{1} << std::max(shift, 0)));
}

} // namespace

Var setSizes(Builder& b, Var x, const Ints& axes, const Dims& sizes, relay::ResizeAttrs& attrs) {
    if (b.failed())
        return x;
    const Dims shape = b.shape(x);
    attrs.sizes = shape;
    for (size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<size_t>(axes[i]);
        attrs.sizes[axis] = sizes[i];
        if (!arith::provablyEqual(shape[axis], sizes[i])) // nothing can be made of nothing
            x = assume(b, x, arith::logicalOr(arith::gt(shape[axis], 0), arith::eq(sizes[i], 0)),
                       fmt::format("dim {} of {}, which is resized, is not 0", axis, text(shape)));
    }
    return x;
}

bool setScales(Builder& b, const Dims& shape, std::vector<double> scales, relay::ResizeAttrs& attrs) {
    if (scales.size() != shape.size()) {
        b.fail(fmt::format("there are {} scales for {} dims", scales.size(), shape.size()));
        return false;
    }
    for (const double scale : scales) {
        if (!(scale > 0) || scale > 1e9) {
            b.fail(fmt::format("a scale is {}", scale));
            return false;
        }
    }
    for (size_t i = 0; i < shape.size(); ++i)
        attrs.sizes.push_back(scaledSize(shape[i], scales[i]));
    attrs.scales = std::move(scales);
    return true;
}

namespace {

Var wide(Builder& b, Var x) {
    return cast(b, x, types::Float64);
}

/// The dims of what is resized along axes.
Var dimsAlong(Builder& b, const Resizing& resizing, const Ints& axes) {
    Dims dims;
    for (const int64_t axis : axes)
        dims.push_back(dim(b, resizing.x, axis));
    return wide(b, b.fromExprs(dims));
}

/// The whole numbers below, as sizes along axes.
void setSizesTo(Builder& b, Resizing& resizing, const Ints& axes, Var sizes) {
    const Var whole = cast(b, b.call(Op::Floor, {sizes}), types::Int64);
    resizing.x = setSizes(b, resizing.x, axes, b.symbolic(whole, "size"), resizing.attrs);
}

/// Numbers of all dims: as an attribute where they are known, else as an operand.
void giveNumbers(Builder& b, Var numbers, std::vector<double>& attribute, Var& operand) {
    if (auto known = b.knownFloats(numbers))
        attribute = *std::move(known);
    else
        operand = numbers;
}

} // namespace

void scaleBy(Builder& b, Resizing& resizing, const Ints& axes, Var scales) {
    if (b.failed())
        return;
    const Dims shape = b.shape(resizing.x);
    if (const auto known = b.knownFloats(scales)) {
        std::vector<double> all(shape.size(), 1);
        for (size_t i = 0; i < axes.size(); ++i)
            all[static_cast<size_t>(axes[i])] = known->at(i);
        setScales(b, shape, std::move(all), resizing.attrs);
        return;
    }
    const Var factors = wide(b, scales);
    setSizesTo(b, resizing, axes, mul(b, dimsAlong(b, resizing, axes), factors));
    resizing.scales = spreadOver(b, factors, axes, std::ssize(shape), scalarLike(b, 1, factors));
}

void fitInto(Builder& b, Resizing& resizing, const Ints& axes, Var sizes, bool isLarger) {
    if (b.failed() || axes.empty())
        return;
    const int64_t rank = b.rank(resizing.x);
    const Var from = dimsAlong(b, resizing, axes), ratios = div(b, wide(b, sizes), from);
    Var scale = sliceAxis(b, ratios, 0, 0, 1);
    for (size_t i = 1; i < axes.size(); ++i) {
        const Var ratio = sliceAxis(b, ratios, 0, static_cast<int64_t>(i), 1);
        scale = isLarger ? maximum(b, scale, ratio) : minimum(b, scale, ratio);
    }
    setSizesTo(b, resizing, axes, addTo(b, mul(b, from, scale), 0.5));
    const Var all = spreadOver(b, expand(b, scale, {std::ssize(axes)}), axes, rank, scalarLike(b, 1, scale));
    giveNumbers(b, all, resizing.attrs.scales, resizing.scales);
}

void cropTo(Builder& b, Resizing& resizing, const Ints& axes, Var region) {
    if (b.failed())
        return;
    const int64_t rank = b.rank(resizing.x), count = std::ssize(axes);
    const auto ends = [&](int64_t first, double otherwise) {
        const Var part = sliceAxis(b, wide(b, region), 0, first, count);
        return spreadOver(b, part, axes, rank, scalarLike(b, otherwise, part));
    };
    const Var all = concat(b, {ends(0, 0), ends(count, 1)}, 0);
    giveNumbers(b, all, resizing.attrs.roi, resizing.region);
}

Var resized(Builder& b, const Resizing& resizing) {
    std::vector<Var> operands = {resizing.x};
    if (resizing.scales || resizing.region)
        operands.push_back(resizing.scales);
    if (resizing.region)
        operands.push_back(resizing.region);
    return b.call(Op::Resize, std::move(operands), resizing.attrs);
}

/// x along `axis` where both corners are aligned and half a pixel is added: (i + 1/2) · (in − 1) / (out − 1), rounded
/// half up. No mode of Resize is that.
Var nearestOfBoth(Builder& b, Var x, int64_t axis, const Expr& out) {
    const Expr in = dim(b, x, axis), several = arith::gt(out, 1);
    const auto real = [&](const Expr& size) { return cast(b, b.scalarOf(arith::simplify(size)), types::Float32); };
    const Var scale =
        div(b, real(arith::select(several, in - 1, in)), real(arith::select(several, out - 1, arith::max(out, 1))));
    const Var middle = addTo(b, cast(b, iota(b, {out}, 0, types::Int64), types::Float32), 0.5);
    const Var place = mul(b, middle, scale), low = b.call(Op::Floor, {place});
    const Var isUp = b.call(Op::GreaterEqual, {sub(b, place, low), scalarLike(b, 0.5, place)});
    const Var nearest = cast(b, where(b, isUp, addTo(b, low, 1), low), types::Int64);
    return gather(b, x, minimum(b, nearest, b.scalarOf(arith::simplify(in - 1))), axis);
}

} // namespace lathe::frontend
