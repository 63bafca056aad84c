// SPDX-License-Identifier: Apache-2.0
//
// Conversions of element types. The meaning of a plain Cast is arith's; float8 without saturation and the rounding
// modes of float8_e8m0 are intrinsics of their own.
#include "topi/expressions.h"
#include "topi/families.h"

namespace lathe::topi {

namespace {

bool isFloat8(DataType dtype) {
    return dtype.isFloat() && dtype.bits == 8;
}

Expr castTo(const Expr& value, const relay::CastAttrs& attrs) {
    if (value.dtype() == attrs.dtype)
        return value;
    if (!isFloat8(attrs.dtype))
        return arith::cast(value, attrs.dtype);
    // Narrow floats convert from float: integers and bools go through float32, float64 keeps its precision.
    const Expr source = value.dtype() == types::Float64 ? value : convert(value, types::Float32);
    if (attrs.dtype.code == TypeCode::Float8E8M0 && attrs.round != "even" && attrs.round != "nearest") {
        const Intrinsic mode = attrs.round == "down" ? Intrinsic::CastE8M0Down : Intrinsic::CastE8M0Up;
        return arith::call(mode, {source}, attrs.dtype);
    }
    return attrs.saturate ? arith::cast(source, attrs.dtype)
                          : arith::call(Intrinsic::CastNoSaturate, {source}, attrs.dtype);
}

} // namespace

Tensors computeCast(const CallContext& call) {
    const TensorPtr& x = call.args[0];
    const auto& attrs = relay::attrs<relay::CastAttrs>(call.attrs);
    return {te::compute(
        "cast", x->shape, [&](const std::vector<Var>& i) { return castTo((*x)(asIndices(i)), attrs); }, call.origin)};
}

Tensors computeBitCast(const CallContext& call) {
    const TensorPtr& x = call.args[0];
    const DataType dtype = relay::attrs<relay::CastAttrs>(call.attrs).dtype;
    return {te::compute(
        "bit_cast", x->shape,
        [&](const std::vector<Var>& i) {
            const Expr value = (*x)(asIndices(i));
            return value.dtype() == dtype ? value : arith::call(Intrinsic::Reinterpret, {value}, dtype);
        },
        call.origin)};
}

} // namespace lathe::topi
