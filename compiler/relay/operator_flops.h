// SPDX-License-Identifier: Apache-2.0
//
// Floating-point operations by operator: what stands in the operator table's column `flops`. Most operators do a fixed number
// an element of their result; the others have a rule of their own, which looks at operands and attributes.
#pragma once

#include "relay/op.h"

namespace lathe::relay::flops {

/// `each` an element of the result, of a tuple's first one.
std::optional<double> anElement(double each, const TypedCall& call);

template <int each>
std::optional<double> perElement(const TypedCall& call) {
    return each == 0 ? 0 : anElement(each, call);
}

std::optional<double> matMul(const TypedCall& call);
std::optional<double> conv(const TypedCall& call);
std::optional<double> winogradConv(const TypedCall& call);
std::optional<double> einsum(const TypedCall& call);
std::optional<double> reduce(const TypedCall& call);
std::optional<double> pool(const TypedCall& call);
std::optional<double> dft(const TypedCall& call);

} // namespace lathe::relay::flops
