// SPDX-License-Identifier: Apache-2.0
//
// Suppression of boxes that overlap others with higher scores.
#include "frontend/common/suppression.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"

#include <limits>
#include <optional>

namespace lathe::frontend::tensorflow {
namespace {

struct BoxOperands {
    Var boxes, scores, overlap, leastScore;
    Expr most;
};

std::optional<BoxOperands> readBoxes(NodeReader& node, Builder& b) {
    BoxOperands read;
    read.boxes = cast(b, node.in(0), types::Float32);
    read.scores = cast(b, node.in(1), types::Float32);
    read.most = integerOf(node, 2, "number of boxes");
    read.overlap = cast(b, asScalar(b, node.in(3)), types::Float32);
    read.leastScore = node.hasInput(4) ? cast(b, asScalar(b, node.in(4)), types::Float32)
                                       : b.scalar(-std::numeric_limits<float>::max(), types::Float32);
    if (!node.needRank(read.boxes, 2) || !node.needRank(read.scores, 1) ||
        !areSizes(node, {read.most}, "number of boxes") || !mayFill(node.b, {read.most}))
        return std::nullopt;
    const Expr count = dim(b, read.boxes, 0);
    read.boxes = withDims(b, read.boxes, {count, 4});
    read.scores = withDims(b, read.scores, {count});
    return b.failed() ? std::nullopt : std::optional(read);
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

} // namespace lathe::frontend::tensorflow
