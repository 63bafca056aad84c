// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/fourier.h"

#include "relay/attrs.h"

#include <cmath>

namespace lathe::frontend::torch {
namespace {

/// x · length^exponent
Var scaledByPower(Builder& b, Var x, const Expr& length, double exponent) {
    if (exponent == 0 || b.failed())
        return x;
    if (const auto known = arith::asInt(length))
        return mulBy(b, x, std::pow(static_cast<double>(*known), exponent));
    const Var n = cast(b, b.scalarOf(length), b.dtype(x));
    return mul(b, x, b.call(Op::Power, {n, scalarLike(b, exponent, n)}));
}

Var rescaled(Builder& b, Var x, const Expr& length, Way way, Scaling scaling) {
    const double wanted = scaling == Scaling::None ? 0 : scaling == Scaling::ByRoot ? -0.5 : -1;
    return scaledByPower(b, x, length, wanted - (way == Way::Back ? -1 : 0));
}

} // namespace

Var transformed(Builder& b, Var parts, int64_t axis, const Expr& length, Way way, bool half, Scaling scaling) {
    relay::DftAttrs attrs;
    attrs.axis = axis;
    attrs.inverse = way == Way::Back;
    attrs.onesided = half;
    attrs.length = length;
    parts = assume(b, parts, arith::ge(length, 1), "a Fourier transform has a length");
    return inSingle(b, parts, [&](Var x) { return rescaled(b, b.call(Op::Dft, {x}, attrs), length, way, scaling); });
}

} // namespace lathe::frontend::torch
