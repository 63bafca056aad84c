// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/suppression.h"

#include "frontend/common/integer_operands.h"
#include "relay/attrs.h"

#include <cmath>
#include <limits>

namespace lathe::frontend {
namespace {

Var column(Builder& b, Var x, int64_t i) {
    return reshape(b, sliceAxis(b, x, 1, i, 1), {dim(b, x, 0)});
}

/// Boxes as [n] each of their edges, whichever corners they are given by, and their areas.
struct Edges {
    Var top, left, bottom, right, area;

    Edges(Builder& b, Var boxes) {
        const auto part = [&](int64_t i) { return column(b, boxes, i); };
        top = minimum(b, part(0), part(2));
        left = minimum(b, part(1), part(3));
        bottom = maximum(b, part(0), part(2));
        right = maximum(b, part(1), part(3));
        area = mul(b, sub(b, bottom, top), sub(b, right, left));
    }
};

/// Of each box with box `one`, int64 of rank 0: intersection over union, 0 where a box has no area.
Var overlapsWith(Builder& b, const Edges& all, Var one) {
    const auto of = [&](Var edge) { return gather(b, edge, one, 0); };
    const Var zero = b.scalar(0, types::Float32);
    const Var height = sub(b, minimum(b, all.bottom, of(all.bottom)), maximum(b, all.top, of(all.top)));
    const Var width = sub(b, minimum(b, all.right, of(all.right)), maximum(b, all.left, of(all.left)));
    const Var shared = mul(b, maximum(b, height, zero), maximum(b, width, zero));
    const Var whole = sub(b, add(b, all.area, of(all.area)), shared);
    const Var positive = b.call(Op::Greater, {minimum(b, all.area, of(all.area)), zero});
    return where(b, positive, div(b, shared, where(b, positive, whole, b.scalar(1, types::Float32))), zero);
}

} // namespace

std::optional<SuppressionOperands> withDimsThatAgree(NodeReader& node, SuppressionOperands read) {
    Builder& b = node.b;
    if (!node.needRank(read.boxes, 2) || !node.needRank(read.scores, 1) ||
        !areSizes(node, {read.most}, "number of boxes") || !mayFill(b, {read.most}))
        return std::nullopt;
    const Expr count = dim(b, read.boxes, 0);
    read.boxes = withDims(b, read.boxes, {count, 4});
    read.scores = withDims(b, read.scores, {count});
    return b.failed() ? std::nullopt : std::optional(std::move(read));
}

double justBelow(double threshold) {
    return std::nextafter(static_cast<float>(threshold), -std::numeric_limits<float>::infinity());
}

Chosen suppressed(Builder& b, Var boxes, Var scores, Var most, Var overlap, Var leastScore) {
    const Var all =
        b.call(Op::NonMaxSuppression, {unsqueeze(b, boxes, {0}), unsqueeze(b, scores, {0}), most, overlap, leastScore},
               relay::NmsAttrs{});
    const Expr count = dim(b, all, 0);
    return {sliceAxis(b, all, 1, 1, 2), count};
}

SoftlyChosen softlySuppressed(Builder& b, Var boxes, Var scores, const Expr& most, Var overlap, Var leastScore,
                              Var sigma) {
    const Edges edges(b, boxes);
    const Var none = b.scalar(-std::numeric_limits<double>::infinity(), types::Float32);
    const Var factor = div(b, b.scalar(-0.5, types::Float32), sigma);
    relay::ArgReduceAttrs first;
    first.axis = 0;
    // Each turn takes the best box that is left, and lowers the scores of those that overlap it.
    const Var result =
        b.loop(b.scalarOf(most), {}, {scores, b.scalarInt(0)}, 2, [&](Var, const std::vector<Var>& carried) {
            const Var left = carried[0], best = b.call(Op::ArgReduce, {left}, first);
            const Var score = gather(b, left, best, 0);
            const Var good = b.call(Op::Greater, {score, leastScore});
            const Var shared = overlapsWith(b, edges, best);
            const Var lowered = mul(b, left, b.call(Op::Exp, {mul(b, factor, mul(b, shared, shared))}));
            const Var taken = equal(b, iota(b, {dim(b, left, 0)}, 0, types::Int64), best);
            const Var out = b.call(Op::LogicalOr, {taken, b.call(Op::GreaterEqual, {shared, overlap})});
            const Var next = where(b, out, none, lowered);
            return std::vector<Var>{
                where(b, good, next, left),
                add(b, carried[1], cast(b, good, types::Int64)),
                where(b, good, best, b.scalarInt(0)),
                where(b, good, score, b.scalar(0, types::Float32)),
            };
        });
    return {b.project(result, 2), b.project(result, 3), b.project(result, 1)};
}

Var filledUp(Builder& b, Var x, const Expr& count, const Expr& size) {
    if (b.failed())
        return {};
    Dims after(static_cast<size_t>(b.rank(x)), Expr(0));
    const Dims before = after;
    after[0] = arith::simplify(size - count);
    return pad(b, x, "constant", before, after);
}

} // namespace lathe::frontend
