// SPDX-License-Identifier: Apache-2.0
//
// Quantized operators, composed (frontend/common/quantize.h): what their operands and attributes say of scales and zero points.
#include "frontend/common/products.h"
#include "frontend/common/quantize.h"
#include "frontend/onnx/ops.h"
#include "frontend/onnx/window.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {

void convertQuantizeLinear(NodeReader& node, Builder& b) {
    const Var x = node.in(0), scale = node.in(1), zero = node.optional(2);
    if (b.failed())
        return;
    const DataType dtype = elementType(node, "output_dtype", zero ? b.dtype(zero) : types::UInt8);
    if (zero && dtype != b.dtype(zero))
        return node.fail(fmt::format("attribute 'output_dtype' says {}, but the zero point is {}", toString(dtype),
                                     toString(b.dtype(zero))));
    const DataType usual = b.dtype(scale).isFloat() && b.dtype(x).isInt() ? types::Float32 : b.dtype(x);
    const DataType work = elementType(node, "precision", usual);
    const Quantization by{scale, zero, node.integer("axis", 1), node.integer("block_size", 0)};
    node.set(0, quantize(b, x, by, dtype, work, node.integer("saturate", 1) != 0));
}

void convertDequantizeLinear(NodeReader& node, Builder& b) {
    const Var x = node.in(0), scale = node.in(1), zero = node.optional(2);
    if (b.failed())
        return;
    const DataType result = elementType(node, "output_dtype", b.dtype(scale));
    const Quantization by{scale, zero, node.integer("axis", 1), node.integer("block_size", 0)};
    node.set(0, dequantize(b, x, by, result));
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
    node.set(0, matrixProduct(b, centered(b, x, ofMatrix(b, xZero, true)), centered(b, y, ofMatrix(b, yZero, false))));
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
        node.set(0, requantize(b, sum, factor, yZero));
}

void convertQLinearMatMul(NodeReader& node, Builder& b) {
    const Var x = node.in(0), xScale = ofMatrix(b, node.in(1), true), xZero = ofMatrix(b, node.in(2), true);
    const Var y = node.in(3), yScale = ofMatrix(b, node.in(4), false), yZero = ofMatrix(b, node.in(5), false);
    const Var scale = asScalarIfOne(b, node.in(6)), zero = asScalarIfOne(b, node.in(7));
    const Var sum = matrixProduct(b, centered(b, x, xZero), centered(b, y, yZero));
    const Var factor = div(b, mul(b, cast(b, xScale, types::Float32), cast(b, yScale, types::Float32)),
                           cast(b, scale, types::Float32));
    if (!b.failed())
        node.set(0, requantize(b, sum, factor, zero));
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
