// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/norms.h"

#include "frontend/torch/elementwise.h"
#include "frontend/torch/reduced.h"

#include <cmath>

namespace lathe::frontend::torch {

Var normOf(Builder& b, Var x, double p, const Ints& axes, bool keepDims) {
    const Var size = b.call(Op::Abs, {x});
    if (std::isinf(p))
        return reduceOver(b, p > 0 ? "max" : "min", size, axes, keepDims);
    if (p == 0)
        return b.failed() ? Var{} : reduceOver(b, "sum", cast(b, asBool(b, x), b.dtype(x)), axes, keepDims);
    if (p == 1)
        return reduceOver(b, "sum", size, axes, keepDims);
    if (p == 2)
        return b.call(Op::Sqrt, {reduceOver(b, "sum", mul(b, x, x), axes, keepDims)});
    const Var sum = reduceOver(b, "sum", b.call(Op::Power, {size, scalarLike(b, p, size)}), axes, keepDims);
    return b.call(Op::Power, {sum, scalarLike(b, 1 / p, sum)});
}

} // namespace lathe::frontend::torch
