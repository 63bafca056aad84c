// SPDX-License-Identifier: Apache-2.0
//
// Normalizations.
#include "frontend/common/local_response.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend::tensorflow {

namespace {

/// Of the channels, dim 1 of x, over all other dims.
struct Statistics {
    Var mean, variance;
};

Statistics ofBatch(Builder& b, Var x) {
    const Var single = cast(b, x, types::Float32);
    Ints axes = iotaInts(0, b.rank(x));
    axes.erase(axes.begin() + 1);
    const Var mean = reduce(b, "mean", single, axes, true);
    const Var centered = sub(b, single, mean);
    return {squeeze(b, mean, axes), reduce(b, "mean", mul(b, centered, centered), axes, false)};
}

/// What training keeps of a batch, which may be mixed with what was kept before, operands 3 and 4: its variance counts as that
/// of a sample.
Statistics keptStatistics(NodeReader& node, Builder& b, const Statistics& batch, const Dims& shape) {
    const Expr count = quotient(shape, {shape[1]}).value;
    const Var size = cast(b, b.scalarOf(count), types::Float32), one = b.scalar(1, types::Float32);
    const Var ofSample = mul(b, batch.variance, div(b, size, maximum(b, sub(b, size, one), one)));
    const double share = node.real("exponential_avg_factor", 1);
    if (share == 1)
        return {batch.mean, ofSample};
    const auto mixed = [&](Var own, size_t before) {
        return add(b, mulBy(b, own, share), mulBy(b, node.in(before), 1 - share));
    };
    return {mixed(batch.mean, 3), mixed(ofSample, 4)};
}

} // namespace

/// By the statistics that are given, or in training by those of the batch.
void convertFusedBatchNorm(NodeReader& node, Builder& b) {
    const Var image = node.in(0), scale = node.in(1), offset = node.in(2);
    if (!node.needRank(image, 2))
        return;
    const Var x = imageIn(node, b, image);
    relay::NormAttrs attrs;
    attrs.axis = 1;
    attrs.epsilon = node.real("epsilon", 1e-4);
    if (b.failed())
        return;
    const bool isTraining = node.integer("is_training", 1) != 0;
    const Statistics by = isTraining ? ofBatch(b, x) : Statistics{node.in(3), node.in(4)};
    const Statistics given =
        isTraining && (node.wants(1) || node.wants(2)) ? keptStatistics(node, b, by, b.shape(x)) : by;
    if (b.failed())
        return;
    const auto own = [&](Var statistic) { return cast(b, statistic, b.dtype(x)); };
    node.set(0, imageOut(node, b,
                         b.call(Op::BatchNorm, {x, own(scale), own(offset), own(by.mean), own(by.variance)}, attrs)));
    node.set(1, given.mean);
    node.set(2, given.variance);
}

/// Squares of as many channels on both sides, without being divided by how many they are.
void convertLRN(NodeReader& node, Builder& b) {
    const Var image = node.in(0);
    if (!node.needRank(image, 3))
        return;
    const int64_t radius = node.integer("depth_radius", 5);
    if (radius < 0 || radius > 1 << 20)
        return node.fail(fmt::format("the radius is {}", radius), "the model is malformed; export it again");
    const double count = 2 * static_cast<double>(radius) + 1;
    node.set(0, imageOut(node, b,
                         localResponse(b, imageIn(node, b, image), radius, radius, node.real("alpha", 1) * count,
                                       node.real("bias", 1), node.real("beta", 0.5))));
}

/// The loss of each row against the class that it is said to be of.
void convertSparseSoftmaxCrossEntropyWithLogits(NodeReader& node, Builder& b) {
    const Var x = node.in(0), labels = node.in(1);
    if (!node.needRank(x, 2) || !node.needRank(labels, 1))
        return;
    relay::AxisAttrs attrs;
    attrs.axis = b.rank(x) - 1;
    const Var logs = b.call(Op::LogSoftmax, {x}, attrs);
    const Var picked = b.call(Op::GatherElements, {logs, unsqueeze(b, cast(b, labels, types::Int64), {1})}, attrs);
    node.set(0, b.call(Op::Negative, {squeeze(b, picked, {1})}));
}

void convertSoftmaxCrossEntropyWithLogits(NodeReader& node, Builder& b) {
    const Var x = node.in(0), labels = node.in(1);
    if (!node.needRank(x, 2))
        return;
    relay::AxisAttrs attrs;
    attrs.axis = b.rank(x) - 1;
    const Var logs = b.call(Op::LogSoftmax, {x}, attrs);
    node.set(0, b.call(Op::Negative, {reduce(b, "sum", mul(b, labels, logs), {attrs.axis}, false)}));
}

} // namespace lathe::frontend::tensorflow
