// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/group_norm.h"

#include "frontend/common/reductions.h"

#include <fmt/format.h>

namespace lathe::frontend {

GroupNormalized groupNormalized(Builder& b, Var operand, const GroupNorm& norm) {
    if (!needRank(b, operand, 2))
        return {};
    if (norm.groups < 1) {
        b.fail(fmt::format("there are {} groups", norm.groups));
        return {};
    }
    const Dims shape = b.shape(operand);
    const DataType dtype = b.dtype(operand), compute = computeType(b, operand);
    const Expr groups = norm.groups, wide = arith::simplify(arith::floorDiv(shape[1], groups));
    const Var whole = assume(b, operand, arith::eq(wide * groups, shape[1]),
                             fmt::format("{} channels are {} whole groups", arith::sizeText(shape[1]), norm.groups));
    const Var x =
        reshape(b, cast(b, whole, compute), {shape[0], groups, wide, product({shape.begin() + 2, shape.end()})});
    const auto fit = [&](Var each) {
        const Var own = withDims(b, each, {norm.ofGroups ? groups : shape[1]});
        return reshape(b, cast(b, own, compute), {1, groups, norm.ofGroups ? Expr(1) : wide, 1});
    };
    const Moments now = moments(b, x, {2, 3});
    const Var inverse = inverseRoot(b, now.variance, norm.epsilon);
    const Var factor = norm.scale ? mul(b, inverse, fit(norm.scale)) : inverse;
    const Var y = scaledAndMoved(b, x, now.mean, factor, norm.bias ? fit(norm.bias) : Var{});
    return {cast(b, reshape(b, y, shape), dtype), cast(b, now.mean, dtype), cast(b, inverse, dtype)};
}

} // namespace lathe::frontend
