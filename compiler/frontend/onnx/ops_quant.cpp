// SPDX-License-Identifier: Apache-2.0
//
// Quantized operators, composed: integers are widened, products are exact in int32, results are scaled, rounded half to
// even and saturated.
#include "frontend/common/emit.h"
#include "frontend/onnx/ops.h"
#include "frontend/onnx/products.h"
#include "frontend/onnx/window.h"

#include <fmt/format.h>

#include <cmath>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

/// Scale or zero point as it broadcasts to x: a scalar, one value a slice of `axis`, or one a block along `axis`.
Var spreadParameter(NodeReader& node, Builder& b, Var parameter, Var x, int64_t axis, int64_t block) {
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
    axis = node.axis(axis, rank);
    if (b.failed())
        return {};
    if (shape.size() == 1 && block == 0)
        return fittedAlong(b, parameter, axis, x);
    if (static_cast<int64_t>(shape.size()) != rank || block < 0) {
        node.fail(fmt::format("a scale of rank {} does not fit an operand of rank {}", shape.size(), rank));
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

struct Range {
    double low = 0, high = 0;
};
Range rangeOf(DataType dtype) {
    if (dtype.isSigned())
        return {-std::ldexp(1.0, dtype.bits - 1), std::ldexp(1.0, dtype.bits - 1) - 1};
    return {0, std::ldexp(1.0, dtype.bits) - 1};
}

/// Rounded, moved by the zero point, saturated. x is float and divided by the scale already.
Var toQuantized(Builder& b, Var x, Var zero, DataType dtype, bool saturate) {
    if (zero)
        zero = fitted(b, zero, b.shape(x));
    if (!dtype.isInt()) {
        CastAttrs attrs;
        attrs.dtype = dtype;
        attrs.saturate = saturate;
        return b.call(Op::Cast, {zero ? add(b, x, cast(b, zero, b.failed() ? types::Float32 : b.dtype(x))) : x}, attrs);
    }
    Var rounded = cast(b, b.call(Op::Round, {x}), types::Float32);
    if (zero)
        rounded = add(b, rounded, cast(b, zero, types::Float32));
    const Range range = rangeOf(dtype);
    rounded = minimum(b, maximum(b, rounded, scalarLike(b, range.low, rounded)), scalarLike(b, range.high, rounded));
    return cast(b, rounded, dtype);
}

/// A sum of products by their scale and moved by the zero point.
Var scaled(Builder& b, Var sum, Var factor, Var zero) {
    const Var real = mul(b, cast(b, sum, types::Float32), fitted(b, factor, b.shape(sum)));
    return toQuantized(b, real, zero, b.dtype(zero), true);
}

/// x as int32 without its zero point. A constant of 8 bits is moved in a narrow type: then its widening is a cast alone,
/// which products do as they read.
Var centered(Builder& b, Var x, Var zero) {
    const auto zeros = zero ? b.knownInts(zero) : std::vector<int64_t>{0};
    if (zeros && std::all_of(zeros->begin(), zeros->end(), [](int64_t z) { return z == 0; }))
        return cast(b, x, types::Int32);
    zero = fitted(b, zero, b.shape(x));
    DataType dtype = types::Int32;
    if (!b.failed() && zeros && !zeros->empty() && b.constantOf(x) && b.dtype(x).bits <= 8) {
        const auto [least, greatest] = std::minmax_element(zeros->begin(), zeros->end());
        const Range range = rangeOf(b.dtype(x));
        const bool fits =
            range.low - static_cast<double>(*greatest) >= -128 && range.high - static_cast<double>(*least) <= 127;
        dtype = fits ? types::Int8 : types::Int16;
    }
    // Differences that fit into 8 bits are right modulo 2^8.
    return cast(b, sub(b, cast(b, x, dtype), cast(b, zero, dtype)), types::Int32);
}

/// A parameter of a matrix: one a row (of the left operand) is a column, one a column stays a row.
Var ofMatrix(Builder& b, Var parameter, bool rows) {
    if (!parameter || b.failed() || b.rank(parameter) != 1)
        return parameter;
    if (arith::isConst(dim(b, parameter, 0), 1))
        return reshape(b, parameter, {});
    return rows ? unsqueeze(b, parameter, {1}) : parameter;
}

Var asScalarIfOne(Builder& b, Var x) {
    return !x || b.failed() || b.rank(x) == 0 || !arith::isConst(dim(b, x, 0), 1) ? x : reshape(b, x, {});
}

/// One value a result channel of the weights, or a scalar.
Var ofChannels(Builder& b, Var parameter, int64_t axis, int64_t rank) {
    if (!parameter || b.failed() || b.rank(parameter) == 0)
        return parameter;
    return arith::isConst(dim(b, parameter, 0), 1) ? reshape(b, parameter, {}) : alongAxis(b, parameter, axis, rank);
}

} // namespace

void convertQuantizeLinear(NodeReader& node, Builder& b) {
    Var x = node.in(0);
    const Var scale = node.in(1), zero = node.optional(2);
    if (b.failed())
        return;
    const DataType dtype = elementType(node, "output_dtype", zero ? b.dtype(zero) : types::UInt8);
    if (zero && dtype != b.dtype(zero))
        return node.fail(fmt::format("attribute 'output_dtype' says {}, but the zero point is {}", toString(dtype),
                                     toString(b.dtype(zero))));
    const DataType usual = b.dtype(scale).isFloat() && b.dtype(x).isInt() ? types::Float32 : b.dtype(x);
    const DataType work = elementType(node, "precision", usual);
    x = cast(b, x, work);
    const int64_t axis = node.integer("axis", 1), block = node.integer("block_size", 0);
    const Var by = cast(b, spreadParameter(node, b, scale, x, axis, block), work);
    const Var offset = spreadParameter(node, b, zero, x, axis, block);
    node.set(0, toQuantized(b, div(b, x, by), offset, dtype, node.integer("saturate", 1) != 0));
}

void convertDequantizeLinear(NodeReader& node, Builder& b) {
    const Var x = node.in(0), scale = node.in(1), zero = node.optional(2);
    if (b.failed())
        return;
    const DataType result = elementType(node, "output_dtype", b.dtype(scale));
    const int64_t axis = node.integer("axis", 1), block = node.integer("block_size", 0);
    const Var by = cast(b, spreadParameter(node, b, scale, x, axis, block), types::Float32);
    const Var offset = spreadParameter(node, b, zero, x, axis, block);
    // Differences of up to 16 bits are exact in float32.
    Var value;
    if (b.dtype(x).isInt() && b.dtype(x).bits > 16)
        value = cast(b, centered(b, x, offset), types::Float32);
    else
        value =
            offset ? sub(b, cast(b, x, types::Float32), cast(b, offset, types::Float32)) : cast(b, x, types::Float32);
    node.set(0, cast(b, mul(b, value, by), result));
}

void convertConvInteger(NodeReader& node, Builder& b) {
    const Var x = node.in(0), weights = node.in(1);
    const Var xZero = asScalarIfOne(b, node.optional(2)), wZero = node.optional(3);
    if (!node.needRank(weights, 3))
        return;
    node.set(0, convolutionOf(node, b, centered(b, x, xZero),
                              centered(b, weights, ofChannels(b, wZero, 0, b.rank(weights)))));
}

void convertMatMulInteger(NodeReader& node, Builder& b) {
    const Var x = node.in(0), y = node.in(1), xZero = node.optional(2), yZero = node.optional(3);
    node.set(
        0, matrixProduct(node, b, centered(b, x, ofMatrix(b, xZero, true)), centered(b, y, ofMatrix(b, yZero, false))));
}

void convertQLinearConv(NodeReader& node, Builder& b) {
    const Var x = node.in(0), xScale = asScalarIfOne(b, node.in(1)), xZero = asScalarIfOne(b, node.in(2));
    const Var weights = node.in(3), wScale = node.in(4), wZero = node.in(5);
    const Var yScale = asScalarIfOne(b, node.in(6)), yZero = asScalarIfOne(b, node.in(7)), bias = node.optional(8);
    if (!node.needRank(weights, 3))
        return;
    const int64_t rank = b.rank(weights);
    Var sum = convolutionOf(node, b, centered(b, x, xZero), centered(b, weights, ofChannels(b, wZero, 0, rank)));
    sum = addChannelBias(b, sum, bias);
    const Var factor = div(b, mul(b, xScale, ofChannels(b, wScale, 1, rank)), yScale);
    if (!b.failed())
        node.set(0, scaled(b, sum, factor, yZero));
}

void convertQLinearMatMul(NodeReader& node, Builder& b) {
    const Var x = node.in(0), xScale = ofMatrix(b, node.in(1), true), xZero = ofMatrix(b, node.in(2), true);
    const Var y = node.in(3), yScale = ofMatrix(b, node.in(4), false), yZero = ofMatrix(b, node.in(5), false);
    const Var scale = asScalarIfOne(b, node.in(6)), zero = asScalarIfOne(b, node.in(7));
    const Var sum = matrixProduct(node, b, centered(b, x, xZero), centered(b, y, yZero));
    const Var factor = div(b, mul(b, cast(b, xScale, types::Float32), cast(b, yScale, types::Float32)),
                           cast(b, scale, types::Float32));
    if (!b.failed())
        node.set(0, scaled(b, sum, factor, zero));
}

/// com.microsoft: the sum of two quantized tensors.
void convertQLinearAdd(NodeReader& node, Builder& b) {
    const auto real = [&](size_t i) {
        const Var x = node.in(i), scale = asScalarIfOne(b, node.in(i + 1)),
                  zero = asScalarIfOne(b, node.optional(i + 2));
        return mul(b, cast(b, centered(b, x, zero), types::Float32), scale);
    };
    const Var sum = add(b, real(0), real(3));
    const Var scale = asScalarIfOne(b, node.in(6)), zero = asScalarIfOne(b, node.optional(7));
    if (b.failed())
        return;
    const DataType dtype = zero ? b.dtype(zero) : b.dtype(node.in(0));
    node.set(0, toQuantized(b, div(b, sum, scale), zero, dtype, true));
}

} // namespace lathe::frontend::onnx
