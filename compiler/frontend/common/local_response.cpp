// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/local_response.h"

#include "relay/attrs.h"

namespace lathe::frontend {

using namespace relay;

Var localResponse(Builder& b, Var x, int64_t before, int64_t after, double alpha, double bias, double beta) {
    if (b.failed())
        return {};
    const Dims shape = b.shape(x);
    const Expr area = product({shape.begin() + 2, shape.end()});
    PoolAttrs attrs;
    attrs.kernel = {before + 1 + after, 1};
    attrs.strides = attrs.dilations = {1, 1};
    attrs.before = {before, 0};
    attrs.after = {after, 0};
    attrs.countPadding = true;
    return inSingle(b, x, [&](Var v) {
        const Var planes = reshape(b, mul(b, v, v), {shape[0], 1, shape[1], area});
        const Var mean = reshape(b, b.call(Op::AvgPool, {planes}, attrs), shape);
        const Var base = addTo(b, mulBy(b, mean, alpha), bias);
        return div(b, v, b.call(Op::Power, {base, scalarLike(b, beta, v)}));
    });
}

} // namespace lathe::frontend
