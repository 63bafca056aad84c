// SPDX-License-Identifier: Apache-2.0
//
// Quantization as export writes it out: real numbers to narrow integers and back, real = scale · (integer − zero
// point).
#include "frontend/common/quantize.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// Scale and zero point, numbers or tensors: of the whole tensor, or one a slice of an axis. (A family has the same
/// name.)
frontend::Quantization parametersOf(Call& call, Builder& b, Var x) {
    frontend::Quantization by;
    const bool perChannel = call.schema.find("axis").has_value();
    by.scale = cast(b, call.tensor(perChannel ? "scales" : "scale"), types::Float32);
    by.zero = call.optionalTensor(perChannel ? "zero_points" : "zero_point");
    if (call.failed())
        return by;
    if (perChannel)
        by.axis = call.axis(call.integer("axis"), b.rank(x));
    else
        by.scale = asScalar(b, by.scale);
    if (by.zero && !perChannel)
        by.zero = asScalar(b, by.zero);
    return by;
}

/// The integers that may occur are fewer than the type's where the program says so.
Var withinLimits(Call& call, Builder& b, Var x) {
    const int64_t low = call.integer("quant_min"), high = call.integer("quant_max");
    if (call.failed())
        return {};
    const DataType dtype = b.dtype(x);
    if (!dtype.isInt() || dtype.bits > 32) {
        call.refuse(fmt::format("quantization to {}", toString(dtype)));
        return {};
    }
    const int64_t least = dtype.isSigned() ? -(int64_t{1} << (dtype.bits - 1)) : 0;
    const int64_t greatest = least + (int64_t{1} << dtype.bits) - 1;
    if (low > high) {
        call.fail(fmt::format("integers from {} to {}", low, high));
        return {};
    }
    const auto within = [&](int64_t value) { return b.scalarInt(std::clamp(value, least, greatest), dtype); };
    if (low > least)
        x = maximum(b, x, within(low));
    return high < greatest ? minimum(b, x, within(high)) : x;
}

void convertQuantize(Call& call, Builder& b) {
    const Var x = call.tensor("input");
    const auto dtype = call.dtype("dtype");
    const frontend::Quantization by = parametersOf(call, b, x);
    if (call.failed())
        return;
    call.give(withinLimits(call, b, quantize(b, x, by, dtype.value_or(types::Int8), types::Float32, true)));
}

void convertDequantize(Call& call, Builder& b) {
    const Var x = call.tensor("input");
    const frontend::Quantization by = parametersOf(call, b, x);
    const DataType dtype = call.dtype("out_dtype").value_or(types::Float32);
    if (call.failed())
        return;
    if (!b.dtype(x).isInt())
        return call.fail(fmt::format("integers stand for real numbers, not {}", toString(b.dtype(x))));
    call.give(dequantize(b, x, by, dtype));
}

/// Rounded to integers within bounds, and what real numbers these stand for.
void convertFakeQuantize(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const bool perChannel = call.schema.find("axis").has_value();
    Var scale = cast(b, call.tensor("scale"), types::Float32),
        zero = cast(b, call.tensor("zero_point"), types::Float32);
    const int64_t low = call.integer("quant_min"), high = call.integer("quant_max");
    if (call.failed())
        return;
    if (low > high)
        return call.fail(fmt::format("integers from {} to {}", low, high));
    const int64_t axis = perChannel ? call.axis(call.integer("axis"), b.rank(x)) : 0;
    const auto along = [&](Var one) { return perChannel ? fittedAlong(b, one, axis, x) : asScalar(b, one); };
    scale = along(scale);
    zero = along(zero);
    const Var wide = cast(b, x, types::Float32);
    // As PyTorch: by the reciprocal, which decides what lies on a tie.
    const Var real = mul(b, wide, div(b, scalarLike(b, 1, scale), scale));
    const Var whole = add(b, b.call(Op::Round, {real}), zero);
    const Var within = maximum(b, minimum(b, whole, scalarLike(b, static_cast<double>(high), whole)),
                               scalarLike(b, static_cast<double>(low), whole));
    if (!call.failed())
        call.give(cast(b, mul(b, sub(b, within, zero), scale), b.dtype(x)));
}

constexpr auto quantizedRows = std::to_array<Row>({
    {"aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> "
     "Tensor",
     convertFakeQuantize, Quantization},
    {"aten::fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int "
     "quant_min, "
     "int quant_max) -> Tensor",
     convertFakeQuantize, Quantization},
    {"aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, "
     "int "
     "quant_max) -> Tensor",
     convertFakeQuantize, Quantization},
    {"quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int "
     "quant_max, ScalarType dtype) -> Tensor",
     convertQuantize, Quantization},
    {"quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, "
     "int quant_max, ScalarType dtype) -> Tensor",
     convertQuantize, Quantization},
    {"quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, int "
     "quant_min, int quant_max, ScalarType dtype) -> Tensor",
     convertQuantize, Quantization},
    {"quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int "
     "quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
     convertDequantize, Dequantization},
    {"quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int "
     "quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
     convertDequantize, Dequantization},
    {"quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, int axis, int "
     "quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
     convertDequantize, Dequantization},
});

} // namespace

std::span<const Row> rowsOfQuantized() {
    return quantizedRows;
}

} // namespace lathe::frontend::torch
