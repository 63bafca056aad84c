// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/slice.h"

#include <limits>

namespace lathe::frontend {

using namespace relay;

namespace {

/// Exporters write this, too, for "to the end"; no dim of a real model comes near.
constexpr int64_t alsoFarAway = std::numeric_limits<int32_t>::max();

/// A bound as models mean it: negative counts from the end; kept within [low, high], which of an empty dim is high
/// alone.
Expr normalizedBound(Expr bound, const Expr& size, const Expr& low, const Expr& high) {
    if (const auto value = arith::asInt(bound))
        bound = *value >= alsoFarAway ? farAway : std::max(*value, -farAway);
    const arith::Interval range = arith::bounds(bound);
    if (range.upper < 0)
        bound = bound + size;
    else if (range.lower < 0)
        bound = arith::select(arith::lt(bound, 0), bound + size, bound);
    return arith::simplify(arith::min(arith::max(bound, low), high));
}

} // namespace

SliceAttrs wholeOf(Builder& b, Var x) {
    SliceAttrs attrs;
    if (b.failed())
        return attrs;
    attrs.size = b.shape(x);
    attrs.begin.assign(attrs.size.size(), Expr(0));
    attrs.step.assign(attrs.size.size(), 1);
    return attrs;
}

void sliceDim(SliceAttrs& attrs, size_t axis, const Expr& start, const Expr& end, int64_t step, BeforeFirst before) {
    const Expr size = attrs.size[axis];
    if (step > 0) {
        const Expr from = normalizedBound(start, size, 0, size), to = normalizedBound(end, size, 0, size);
        attrs.begin[axis] = from;
        attrs.size[axis] = arith::simplify(arith::max(arith::ceilDiv(to - from, step), 0));
    } else {
        const Expr last = size - 1;
        const Expr from = normalizedBound(start, size, before == BeforeFirst::Outside ? -1 : 0, last),
                   to = normalizedBound(end, size, -1, last);
        attrs.begin[axis] = from;
        attrs.size[axis] = arith::simplify(arith::max(arith::ceilDiv(from - to, -step), 0));
    }
    attrs.step[axis] = step;
}

} // namespace lathe::frontend
