// SPDX-License-Identifier: Apache-2.0
//
// Normalizations of batches. Programs are exported as they infer, or as they train: then batches are normalized by
// their own moments, and running ones are assigned, which are given after the results.
#include "frontend/common/reductions.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

/// What the batch normalizations have in common.
struct BatchNormCall {
    Var x, weight, bias, mean, variance; // all but x may be absent
    double momentum = 0.1, epsilon = 1e-5;
};

BatchNormCall readBatchNorm(Call& call, bool hasRunning) {
    BatchNormCall norm{call.tensor("input"), call.optionalTensor("weight"), call.optionalTensor("bias"), {}, {}};
    if (hasRunning) {
        norm.mean = call.optionalTensor("running_mean");
        norm.variance = call.optionalTensor("running_var");
    }
    norm.momentum = call.real("momentum");
    norm.epsilon = call.real("eps");
    return norm;
}

/// What is absent: a number for each channel.
Var channelsOf(Builder& b, Var each, double otherwise, Var x) {
    return each || b.failed() ? each : full(b, scalarLike(b, otherwise, x), {dim(b, x, 1)});
}

Var inferred(Call& call, Builder& b, const BatchNormCall& norm) {
    if (!needRank(b, norm.x, 2))
        return {};
    if (!norm.mean || !norm.variance) {
        call.fail("running moments are missing, by which batches are normalized");
        return {};
    }
    NormAttrs attrs;
    attrs.axis = 1;
    attrs.epsilon = norm.epsilon;
    return b.call(
        Op::BatchNorm,
        {norm.x, channelsOf(b, norm.weight, 1, norm.x), channelsOf(b, norm.bias, 0, norm.x), norm.mean, norm.variance},
        attrs);
}

/// A batch by its own moments.
struct Trained {
    Var y, mean, inverse, runningMean, runningVariance; // moments are of channels; running ones absent if none were
};

/// Running moments go on by those of now.
Var goneOn(Builder& b, Var running, Var now, double momentum) {
    return inSingle(b, running, [&](Var v) {
        return add(b, mulBy(b, v, 1 - momentum), mulBy(b, cast(b, now, b.dtype(v)), momentum));
    });
}

/// A variance that was divided by the number of elements, as one divided by one less.
Var unbiased(Builder& b, Var variance, const Expr& count) {
    const Var all = cast(b, b.scalarOf(count), computeType(b, variance));
    return mul(b, variance, div(b, all, addTo(b, all, -1)));
}

/// Over the axes; of instances each has moments of its own, whose means over the batch are those of channels.
Trained trained(Builder& b, const BatchNormCall& norm, bool ofInstances) {
    if (!needRank(b, norm.x, 2))
        return {};
    Ints axes = iotaInts(2, b.rank(norm.x));
    if (!ofInstances)
        axes.insert(axes.begin(), 0);
    Dims counted;
    for (const int64_t axis : axes)
        counted.push_back(dim(b, norm.x, axis));
    const DataType dtype = b.dtype(norm.x);
    const Var x = cast(b, norm.x, computeType(b, norm.x));
    const auto channel = [&](Var each) { return each ? fittedAlong(b, cast(b, each, b.dtype(x)), 1, x) : each; };
    const Moments now = moments(b, x, axes);
    const Var inverse = inverseRoot(b, now.variance, norm.epsilon);
    const Var scale = channel(norm.weight);
    Trained result;
    result.y =
        cast(b, scaledAndMoved(b, x, now.mean, scale ? mul(b, inverse, scale) : inverse, channel(norm.bias)), dtype);
    const auto ofChannels = [&](Var moment) {
        return reshape(b, ofInstances ? reduce(b, "mean", moment, {0}, true) : moment, {dim(b, x, 1)});
    };
    const Var mean = ofChannels(now.mean);
    result.mean = cast(b, mean, dtype);
    result.inverse = cast(b, ofChannels(inverse), dtype);
    if (norm.mean)
        result.runningMean = goneOn(b, norm.mean, mean, norm.momentum);
    if (norm.variance)
        result.runningVariance =
            goneOn(b, norm.variance, unbiased(b, ofChannels(now.variance), product(counted)), norm.momentum);
    return b.failed() ? Trained{} : result;
}

/// Results, and what is assigned to running moments.
void giveTrained(Call& call, const Trained& result, std::vector<Var> results) {
    for (const Var running : {result.runningMean, result.runningVariance})
        if (running)
            results.push_back(running);
    call.give(std::move(results));
}

void convertBatchNorm(Call& call, Builder& b) {
    const BatchNormCall norm = readBatchNorm(call, true);
    if (!call.flag("training"))
        return call.give(inferred(call, b, norm));
    const Trained result = trained(b, norm, false);
    giveTrained(call, result, {result.y});
}

/// In inference the moments of the batch are empty.
void giveInferred(Call& call, Builder& b, const BatchNormCall& norm) {
    const Var y = inferred(call, b, norm), none = full(b, scalarLike(b, 0, norm.x), {0});
    call.give({y, none, none});
}
void convertBatchNormNoTraining(Call& call, Builder& b) {
    giveInferred(call, b, readBatchNorm(call, true));
}
void convertNativeBatchNorm(Call& call, Builder& b) {
    const BatchNormCall norm = readBatchNorm(call, true);
    if (!call.flag("training"))
        return giveInferred(call, b, norm);
    const Trained result = trained(b, norm, false);
    giveTrained(call, result, {result.y, result.mean, result.inverse});
}
void convertBatchNormWithoutStatistics(Call& call, Builder& b) {
    const Trained result = trained(b, readBatchNorm(call, false), false);
    call.give({result.y, result.mean, result.inverse});
}
/// The running moments are results.
void convertFunctionalBatchNorm(Call& call, Builder& b) {
    const BatchNormCall norm = readBatchNorm(call, true);
    if (call.flag("training")) {
        const Trained result = trained(b, norm, false);
        return call.give({result.y, result.mean, result.inverse, result.runningMean, result.runningVariance});
    }
    const Var y = inferred(call, b, norm), none = full(b, scalarLike(b, 0, norm.x), {0});
    call.give({y, none, none, norm.mean, norm.variance});
}

void convertInstanceNorm(Call& call, Builder& b) {
    const BatchNormCall norm = readBatchNorm(call, true);
    if (!call.flag("use_input_stats"))
        return call.give(inferred(call, b, norm));
    const Trained result = trained(b, norm, true);
    giveTrained(call, result, {result.y});
}

constexpr auto batchNormRows = std::to_array<Row>({
    {"aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!)? running_mean, Tensor(b!)? running_var, "
     "bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
     convertBatchNorm, Normalization},
    {"aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!)? running_mean, Tensor(b!)? "
     "running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
     convertNativeBatchNorm, Normalization},
    {"aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) "
     "running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
     convertNativeBatchNorm, Normalization},
    {"aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float "
     "momentum, float eps) -> (Tensor, Tensor, Tensor)",
     convertBatchNormWithoutStatistics, Normalization},
    {"aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, "
     "Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
     convertBatchNormNoTraining, Normalization},
    {"aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, "
     "Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor "
     "running_mean_out, Tensor running_var_out)",
     convertFunctionalBatchNorm, Normalization},
    {"aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!)? running_mean, Tensor(b!)? "
     "running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor",
     convertInstanceNorm, Normalization},
});

} // namespace

std::span<const Row> rowsOfBatchNorms() {
    return batchNormRows;
}

} // namespace lathe::frontend::torch
