// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/quantize.h"

#include "relay/attrs.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lathe::frontend {
namespace {

/// Scale or zero point as it broadcasts to x: a scalar, one value a slice of `axis`, or one a block along `axis`.
Var spreadParameter(Builder& b, Var parameter, Var x, int64_t axis, int64_t block) {
    if (!parameter || b.failed())
        return {};
    const Dims shape = b.shape(parameter);
    if (shape.empty())
        return parameter;
    const int64_t rank = b.rank(x);
    const bool single =
        std::all_of(shape.begin(), shape.end(), [](const Expr& size) { return arith::isConst(size, 1); });
    if (single && block == 0)
        return reshape(b, parameter, {});
    axis = axisOf(b, axis, rank);
    if (b.failed())
        return {};
    if (shape.size() == 1 && block == 0)
        return fittedAlong(b, parameter, axis, x);
    if (static_cast<int64_t>(shape.size()) != rank || block < 0) {
        b.fail(fmt::format("a scale of rank {} does not fit an operand of rank {}", shape.size(), rank));
        return {};
    }
    const auto at = static_cast<size_t>(axis);
    const Expr size = dim(b, x, axis);
    if (block == 0) {
        const auto blocks = arith::asInt(shape[at]), all = arith::asInt(size);
        if (!blocks || !all || *blocks < 1)
            return fitted(b, parameter, b.shape(x));
        block = (*all + *blocks - 1) / *blocks;
    }
    Dims wide = shape;
    wide.insert(wide.begin() + axis + 1, Expr(block));
    Dims joined = shape;
    joined[at] = arith::simplify(shape[at] * block);
    const Var repeated = reshape(b, expand(b, unsqueeze(b, parameter, {axis + 1}), wide), joined);
    return fitted(b, sliceAxis(b, repeated, axis, 0, size), b.shape(x));
}

struct IntRange {
    double low = 0, high = 0;
};
IntRange rangeOf(DataType dtype) {
    if (dtype.isSigned())
        return {-std::ldexp(1.0, dtype.bits - 1), std::ldexp(1.0, dtype.bits - 1) - 1};
    return {0, std::ldexp(1.0, dtype.bits) - 1};
}

} // namespace

Var toQuantized(Builder& b, Var x, Var zero, DataType dtype, bool saturate) {
    if (zero)
        zero = fitted(b, zero, b.shape(x));
    if (!dtype.isInt()) {
        relay::CastAttrs attrs;
        attrs.dtype = dtype;
        attrs.saturate = saturate;
        return b.call(Op::Cast, {zero ? add(b, x, cast(b, zero, b.failed() ? types::Float32 : b.dtype(x))) : x}, attrs);
    }
    Var rounded = cast(b, b.call(Op::Round, {x}), types::Float32);
    if (zero)
        rounded = add(b, rounded, cast(b, zero, types::Float32));
    const IntRange range = rangeOf(dtype);
    rounded = minimum(b, maximum(b, rounded, scalarLike(b, range.low, rounded)), scalarLike(b, range.high, rounded));
    return cast(b, rounded, dtype);
}

Var quantize(Builder& b, Var operand, const Quantization& by, DataType dtype, DataType work, bool saturate) {
    const Var x = cast(b, operand, work);
    const Var scale = cast(b, spreadParameter(b, by.scale, x, by.axis, by.block), work);
    const Var zero = spreadParameter(b, by.zero, x, by.axis, by.block);
    return toQuantized(b, div(b, x, scale), zero, dtype, saturate);
}

Var dequantize(Builder& b, Var x, const Quantization& by, DataType dtype) {
    const Var scale = cast(b, spreadParameter(b, by.scale, x, by.axis, by.block), types::Float32);
    const Var zero = spreadParameter(b, by.zero, x, by.axis, by.block);
    // Differences of up to 16 bits are exact in float32.
    Var value;
    if (b.dtype(x).isInt() && b.dtype(x).bits > 16)
        value = cast(b, centered(b, x, zero), types::Float32);
    else
        value = zero ? sub(b, cast(b, x, types::Float32), cast(b, zero, types::Float32)) : cast(b, x, types::Float32);
    return cast(b, mul(b, value, scale), dtype);
}

Var requantize(Builder& b, Var sum, Var factor, Var zero) {
    const Var real = mul(b, cast(b, sum, types::Float32), fitted(b, factor, b.shape(sum)));
    return toQuantized(b, real, zero, b.dtype(zero), true);
}

Var centered(Builder& b, Var x, Var zero) {
    const auto zeros = zero ? b.knownInts(zero) : std::vector<int64_t>{0};
    if (zeros && std::all_of(zeros->begin(), zeros->end(), [](int64_t z) { return z == 0; }))
        return cast(b, x, types::Int32);
    zero = fitted(b, zero, b.shape(x));
    DataType dtype = types::Int32;
    if (!b.failed() && zeros && !zeros->empty() && b.constantOf(x) && b.dtype(x).bits <= 8) {
        const auto [least, greatest] = std::minmax_element(zeros->begin(), zeros->end());
        const IntRange range = rangeOf(b.dtype(x));
        const bool fits =
            range.low - static_cast<double>(*greatest) >= -128 && range.high - static_cast<double>(*least) <= 127;
        dtype = fits ? types::Int8 : types::Int16;
    }
    // Differences that fit into 8 bits are right modulo 2^8.
    return cast(b, sub(b, cast(b, x, dtype), cast(b, zero, dtype)), types::Int32);
}

Var asScalarIfOne(Builder& b, Var x) {
    return !x || b.failed() || b.rank(x) == 0 || !arith::isConst(dim(b, x, 0), 1) ? x : reshape(b, x, {});
}

Var ofMatrix(Builder& b, Var parameter, bool rows) {
    if (!parameter || b.failed() || b.rank(parameter) != 1)
        return parameter;
    if (arith::isConst(dim(b, parameter, 0), 1))
        return reshape(b, parameter, {});
    return rows ? unsqueeze(b, parameter, {1}) : parameter;
}

Var ofChannels(Builder& b, Var parameter, int64_t axis, int64_t rank) {
    if (!parameter || b.failed() || b.rank(parameter) == 0)
        return parameter;
    return arith::isConst(dim(b, parameter, 0), 1) ? reshape(b, parameter, {}) : alongAxis(b, parameter, axis, rank);
}

} // namespace lathe::frontend
