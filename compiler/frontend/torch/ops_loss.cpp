// SPDX-License-Identifier: Apache-2.0
//
// Losses: how far predictions are from targets, element by element, then as they are, their mean or their sum.
#include "frontend/common/arithmetic.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/loss.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/reduced.h"

#include "relay/attrs.h"

#include <array>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

/// Gives what fn makes of each prediction and its target.
void giveLoss(Call& call, Builder& b, const std::function<Var(Var x, Var target)>& fn) {
    call.give(roundedOnce(b, operandsOf(call, {"self", "target"}),
                          [&](const std::vector<Var>& of) { return reducedLoss(call, b, fn(of[0], of[1])); }));
}

void convertMseLoss(Call& call, Builder& b) {
    giveLoss(call, b, [&](Var x, Var target) {
        const Var difference = sub(b, x, target);
        return mul(b, difference, difference);
    });
}
void convertL1Loss(Call& call, Builder& b) {
    giveLoss(call, b, [&](Var x, Var target) { return b.call(Op::Abs, {sub(b, x, target)}); });
}

/// Times a factor: a parabola where they are nearer than `bend`, beyond it a line of slope 1.
void giveBentLoss(Call& call, Builder& b, double bend, double factor) {
    giveLoss(call, b, [&](Var x, Var target) {
        const Var size = b.call(Op::Abs, {sub(b, x, target)});
        if (bend == 0)
            return mulBy(b, size, factor);
        const Var curve = mulBy(b, mul(b, size, size), 0.5 / bend), line = addTo(b, size, -bend / 2);
        return mulBy(b, where(b, less(b, size, scalarLike(b, bend, size)), curve, line), factor);
    });
}
void convertHuberLoss(Call& call, Builder& b) {
    const double delta = call.real("delta");
    giveBentLoss(call, b, delta, delta);
}
void convertSmoothL1Loss(Call& call, Builder& b) {
    giveBentLoss(call, b, call.real("beta"), 1);
}

void convertKlDiv(Call& call, Builder& b) {
    const bool isLog = call.flag("log_target");
    giveLoss(call, b, [&](Var x, Var target) {
        if (isLog)
            return mul(b, b.call(Op::Exp, {target}), sub(b, target, x));
        const Var zero = scalarLike(b, 0, x), product = mul(b, target, b.call(Op::Log, {target}));
        return sub(b, where(b, equal(b, target, zero), zero, product), mul(b, target, x));
    });
}

/// Times an optional weight that broadcasts.
Var weighed(Call& call, Builder& b, Var loss, const char* name) {
    const Var weight = call.optionalTensor(name);
    return weight && !b.failed() ? mul(b, loss, cast(b, weight, b.dtype(loss))) : loss;
}

/// Logarithms are kept above -100, so that no loss is infinite.
void convertBinaryCrossEntropy(Call& call, Builder& b) {
    giveLoss(call, b, [&](Var x, Var target) {
        const auto kept = [&](Var log) { return maximum(b, log, scalarLike(b, -100, log)); };
        const Var no = kept(logOfOnePlus(b, b.call(Op::Negative, {x}))), yes = kept(b.call(Op::Log, {x}));
        const Var loss = sub(b, mul(b, addTo(b, target, -1), no), mul(b, target, yes));
        return weighed(call, b, loss, "weight");
    });
}
/// log(sigmoid(x)) by the exponential that does not overflow.
void convertBinaryCrossEntropyOfLogits(Call& call, Builder& b) {
    giveLoss(call, b, [&](Var x, Var target) {
        const Var small = b.call(Op::Exp, {b.call(Op::Negative, {b.call(Op::Abs, {x})})});
        const Var logSigmoid = sub(b, minimum(b, x, scalarLike(b, 0, x)), logOfOnePlus(b, small));
        const Var positive = call.optionalTensor("pos_weight");
        Var yes = logSigmoid;
        if (positive && !b.failed())
            yes = mul(b, logSigmoid, addTo(b, mul(b, addTo(b, cast(b, positive, b.dtype(x)), -1), target), 1));
        const Var loss = sub(b, mul(b, sub(b, scalarLike(b, 1, target), target), x), yes);
        return weighed(call, b, loss, "weight");
    });
}

// ---- classes

/// Of each place the loss, and the weight that a mean divides by.
struct Picked {
    Var loss, weight;
};

/// logs: [N, C, …] or [C]; target: classes, [N, …] or a scalar. What is to be ignored has the weight 0.
Picked pickedLoss(Call& call, Builder& b, Var logs, Var target) {
    if (!needRank(b, logs, 1))
        return {};
    const int64_t axis = b.rank(logs) == 1 ? 0 : 1;
    const DataType dtype = b.dtype(logs);
    const Var given = cast(b, target, types::Int64), ignored = b.scalarOf(call.size("ignore_index"));
    const Var isIgnored = equal(b, given, ignored), classes = where(b, isIgnored, b.scalarInt(0), given);
    AxisAttrs attrs;
    attrs.axis = axis;
    const Var picked = squeeze(b, b.call(Op::GatherElements, {logs, unsqueeze(b, classes, {axis})}, attrs), {axis});
    const Var weights = call.optionalTensor("weight"), zero = b.scalar(0, dtype);
    const Var own = weights ? gather(b, cast(b, weights, dtype), classes, 0) : b.scalar(1, dtype);
    const Var weight = where(b, isIgnored, zero, own);
    return {where(b, isIgnored, zero, b.call(Op::Negative, {mul(b, picked, own)})), weight};
}

/// The mean is of the weights, not of the places.
Var reducedPicked(Call& call, Builder& b, Var loss, Var weight) {
    const int64_t reduction = call.integer("reduction");
    if (reduction != Mean)
        return reducedLoss(call, b, loss);
    const Ints axes = everyAxis(b, loss);
    return div(b, reduceOver(b, "sum", loss, axes, false), reduceOver(b, "sum", weight, axes, false));
}

void convertNllLoss(Call& call, Builder& b) {
    const Var logs = call.tensor("self"), target = call.tensor("target");
    call.give(inSingle(b, logs, [&](Var v) {
        const Picked picked = pickedLoss(call, b, v, target);
        return reducedPicked(call, b, picked.loss, picked.weight);
    }));
}

/// Of targets that are probabilities, or of classes, a part of which (label_smoothing) is spread over all.
Var crossEntropy(Call& call, Builder& b, Var x, Var target) {
    if (!needRank(b, x, 1))
        return {};
    const int64_t axis = b.rank(x) == 1 ? 0 : 1;
    const double smoothing = call.real("label_smoothing");
    AxisAttrs attrs;
    attrs.axis = axis;
    const Var logs = b.call(Op::LogSoftmax, {x}, attrs), weights = call.optionalTensor("weight");
    if (b.failed())
        return {};
    const Var count = cast(b, b.scalarOf(dim(b, x, axis)), b.dtype(x));
    const Var share = div(b, scalarLike(b, smoothing, x), count); // of each class
    const Var weightedLogs = weights ? mul(b, logs, fittedAlong(b, cast(b, weights, b.dtype(x)), axis, logs)) : logs;
    if (isFloat(b, target)) {
        const Var spread = add(b, mulBy(b, cast(b, target, b.dtype(x)), 1 - smoothing), share);
        const Var sum = reduce(b, "sum", mul(b, weightedLogs, spread), {axis}, false);
        return reducedLoss(call, b, b.call(Op::Negative, {sum}));
    }
    const Picked picked = pickedLoss(call, b, logs, target);
    const Var all = mul(b, reduce(b, "sum", weightedLogs, {axis}, false), share);
    const Var ignored = equal(b, cast(b, target, types::Int64), b.scalarOf(call.size("ignore_index")));
    const Var shared = where(b, ignored, scalarLike(b, 0, all), all);
    return reducedPicked(call, b, sub(b, mulBy(b, picked.loss, 1 - smoothing), shared), picked.weight);
}

void convertCrossEntropy(Call& call, Builder& b) {
    const Var x = call.tensor("self"), target = call.tensor("target");
    call.give(inSingle(b, x, [&](Var v) { return crossEntropy(call, b, v, target); }));
}

constexpr auto lossRows = std::to_array<Row>({
    {"aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", convertMseLoss, Reduction},
    {"aten::l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", convertL1Loss, Reduction},
    {"aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor", convertHuberLoss,
     Reduction},
    {"aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor",
     convertSmoothL1Loss, Reduction},
    {"aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor", convertKlDiv,
     Reduction},
    {"aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor",
     convertBinaryCrossEntropy, Reduction},
    {"aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, "
     "int reduction=Mean) -> Tensor",
     convertBinaryCrossEntropyOfLogits, Reduction},
    {"aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> "
     "Tensor",
     convertNllLoss, Reduction},
    {"aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) "
     "-> Tensor",
     convertNllLoss, Reduction},
    {"aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) "
     "-> Tensor",
     convertNllLoss, Reduction},
    {"aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt "
     "ignore_index=-100, float label_smoothing=0.0) -> Tensor",
     convertCrossEntropy, Reduction},
});

} // namespace

std::span<const Row> rowsOfLosses() {
    return lossRows;
}

} // namespace lathe::frontend::torch
