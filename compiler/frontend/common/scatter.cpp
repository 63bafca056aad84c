// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/scatter.h"

namespace lathe::frontend {

Var scatter(Builder& b, Op op, Var x, Var indices, Var updates, const std::string& reduction, int64_t axis) {
    relay::ScatterAttrs attrs;
    attrs.axis = axis;
    attrs.reduction = reduction;
    if (reduction != "add" && reduction != "mul")
        return b.call(op, {x, indices, updates}, attrs);
    return inSingle(b, x, [&](Var v) { return b.call(op, {v, indices, cast(b, updates, b.dtype(v))}, attrs); });
}

} // namespace lathe::frontend
