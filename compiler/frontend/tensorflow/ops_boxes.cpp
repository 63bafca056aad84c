// SPDX-License-Identifier: Apache-2.0
//
// Suppression of boxes that overlap others with higher scores.
#include "frontend/common/scatter.h"
#include "frontend/common/suppression.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

#include <limits>
#include <optional>

namespace lathe::frontend::tensorflow {
namespace {

std::optional<SuppressionOperands> readBoxes(NodeReader& node, Builder& b) {
    SuppressionOperands read;
    read.boxes = cast(b, node.in(0), types::Float32);
    read.scores = cast(b, node.in(1), types::Float32);
    read.most = integerOf(node, 2, "number of boxes");
    read.overlap = cast(b, asScalar(b, node.in(3)), types::Float32);
    read.leastScore = node.hasInput(4) ? cast(b, asScalar(b, node.in(4)), types::Float32)
                                       : b.scalar(-std::numeric_limits<float>::max(), types::Float32);
    return withDimsThatAgree(node, std::move(read));
}

void giveBoxes(NodeReader& node, Builder& b, bool isPadded) {
    const auto read = readBoxes(node, b);
    if (!read)
        return;
    const Chosen chosen = suppressed(b, read->boxes, unsqueeze(b, read->scores, {0}), b.scalarOf(read->most),
                                     read->overlap, read->leastScore);
    const Var boxes = reshape(b, sliceAxis(b, chosen.rows, 1, 1, 1), {chosen.count});
    node.set(0, cast(b, isPadded ? filledUp(b, boxes, chosen.count, read->most) : boxes, types::Int32));
    if (node.wants(1) && !b.failed())
        node.set(1, cast(b, b.scalarOf(chosen.count), types::Int32));
}

} // namespace

void convertNonMaxSuppressionV3(NodeReader& node, Builder& b) {
    giveBoxes(node, b, false);
}
void convertNonMaxSuppressionV4(NodeReader& node, Builder& b) {
    giveBoxes(node, b, node.integer("pad_to_max_output_size", 0) != 0);
}

/// With a sigma of 0 the same as V4, and the scores; else overlap lowers scores.
void convertNonMaxSuppressionV5(NodeReader& node, Builder& b) {
    const auto read = readBoxes(node, b);
    const Var sigma = asScalar(b, node.in(5));
    if (!read || b.failed())
        return;
    const bool isPadded = node.integer("pad_to_max_output_size", 0) != 0;
    const auto known = b.knownFloats(sigma);
    if (!known || known->size() != 1)
        return node.refuse("sigma must be known when the model is compiled");
    if ((*known)[0] > 0) {
        const SoftlyChosen chosen = softlySuppressed(b, read->boxes, read->scores, read->most, read->overlap,
                                                     read->leastScore, cast(b, sigma, types::Float32));
        const Dims count = isPadded ? Dims{read->most} : b.symbolic(chosen.count, "count");
        if (b.failed())
            return;
        const auto part = [&](Var x) { return isPadded ? x : sliceAxis(b, x, 0, 0, count[0]); };
        node.set(0, cast(b, part(chosen.boxes), types::Int32));
        node.set(1, part(chosen.scores));
        return node.set(2, cast(b, chosen.count, types::Int32));
    }
    const Chosen chosen = suppressed(b, read->boxes, unsqueeze(b, read->scores, {0}), b.scalarOf(read->most),
                                     read->overlap, read->leastScore);
    const Var boxes = reshape(b, sliceAxis(b, chosen.rows, 1, 1, 1), {chosen.count});
    const Var scores = gather(b, read->scores, boxes, 0);
    const auto part = [&](Var x) { return isPadded ? filledUp(b, x, chosen.count, read->most) : x; };
    node.set(0, cast(b, part(boxes), types::Int32));
    node.set(1, part(scores));
    if (!b.failed())
        node.set(2, cast(b, b.scalarOf(chosen.count), types::Int32));
}

/// The best of all classes: each class is suppressed for itself, what is left is sorted by its scores.
void convertCombinedNonMaxSuppression(NodeReader& node, Builder& b) {
    const Var boxes = node.in(0), scores = node.in(1), overlap = asScalar(b, node.in(4)),
              leastScore = asScalar(b, node.in(5));
    const Expr each = integerOf(node, 2, "number of boxes of a class");
    Expr total = integerOf(node, 3, "number of boxes");
    if (!node.needRank(boxes, 4) || !node.needRank(scores, 3) || !areSizes(node, {each, total}, "numbers of boxes"))
        return;
    if (!arith::isConst(dim(b, boxes, 2), 1))
        return node.refuse("boxes that differ by class are not supported");
    const Expr batch = dim(b, boxes, 0), count = dim(b, boxes, 1), classes = dim(b, scores, 2);
    if (node.integer("pad_per_class", 0) != 0)
        total = arith::simplify(arith::min(total, each * classes));
    if (!mayFill(node.b, {batch, total}))
        return;
    const Var places = reshape(b, boxes, {batch, count, 4}), byClass = transpose(b, scores, {0, 2, 1});
    const Var chosen =
        b.call(Op::NonMaxSuppression, {places, byClass, b.scalarOf(each), overlap, leastScore}, relay::NmsAttrs{});
    const Var none = b.scalar(-std::numeric_limits<float>::max(), types::Float32);
    const Var kept = b.call(Op::GatherNd, {byClass, chosen}, relay::GatherNdAttrs{});
    const Var sparse = scatter(b, Op::ScatterNd, full(b, none, {batch, classes, count}), chosen, kept, "none");
    const Var flat = concat(b,
                            {reshape(b, sparse, {batch, arith::simplify(classes * count)}),
                             full(b, none, {batch, total})}, // there are always enough
                            1);
    relay::TopKAttrs attrs;
    attrs.k = total;
    attrs.axis = 1;
    const Var best = b.call(Op::TopK, {flat}, attrs);
    if (b.failed())
        return;
    const Var values = b.project(best, 0);
    const Var isOne = b.call(Op::Greater, {values, none}), zero = b.scalar(0, types::Float32);
    const Var index = where(b, isOne, b.project(best, 1), b.scalarInt(0));
    const Var rows = b.scalarOf(arith::simplify(arith::max(count, 1)));
    const Var box = b.call(Op::Mod, {index, rows}, relay::ModAttrs{});
    relay::GatherNdAttrs batched;
    batched.batchDims = 1;
    Var picked = b.call(Op::GatherNd, {places, unsqueeze(b, box, {2})}, batched);
    if (node.integer("clip_boxes", 1) != 0)
        picked = minimum(b, maximum(b, picked, zero), b.scalar(1, types::Float32));
    node.set(0, where(b, unsqueeze(b, isOne, {2}), picked, zero));
    node.set(1, where(b, isOne, values, zero));
    node.set(2, where(b, isOne, cast(b, div(b, index, rows), types::Float32), zero));
    node.set(3, reduce(b, "sum", cast(b, isOne, types::Int32), {1}, false));
}

} // namespace lathe::frontend::tensorflow
