// SPDX-License-Identifier: Apache-2.0
//
// Normalizations of each element's own dims, root mean squares and groups among them, and dropout.
#include "frontend/common/group_norm.h"
#include "frontend/common/reductions.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <fmt/format.h>
#include <limits>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

// ---- of each element's own dims

/// The first of the last dims that are normalized together; nothing after a fault.
std::optional<int64_t> firstNormalized(Call& call, Builder& b, Var x) {
    const auto count = static_cast<int64_t>(call.sizes("normalized_shape").size());
    if (call.failed())
        return std::nullopt;
    if (count < 1 || count > b.rank(x)) {
        call.fail(fmt::format("{} dims of a tensor of rank {} are to be normalized", count, b.rank(x)));
        return std::nullopt;
    }
    return b.rank(x) - count;
}

Var layerNorm(Call& call, Builder& b, Var x, int64_t axis) {
    const Var weight = call.optionalTensor("weight"), bias = call.optionalTensor("bias");
    NormAttrs attrs;
    attrs.axis = axis;
    attrs.epsilon = call.real("eps");
    if (call.failed())
        return {};
    const Dims shape = b.shape(x), own(shape.begin() + axis, shape.end());
    const Var scale = weight ? weight : full(b, scalarLike(b, 1, x), own);
    return bias ? b.call(Op::LayerNorm, {x, scale, bias}, attrs) : b.call(Op::LayerNorm, {x, scale}, attrs);
}
void convertLayerNorm(Call& call, Builder& b) {
    const Var x = call.tensor("input");
    if (const auto axis = firstNormalized(call, b, x))
        call.give(layerNorm(call, b, x, *axis));
}
void convertNativeLayerNorm(Call& call, Builder& b) {
    const Var x = call.tensor("input");
    const auto axis = firstNormalized(call, b, x);
    if (!axis)
        return;
    const Var y = layerNorm(call, b, x, *axis);
    const DataType dtype = b.failed() ? defaultFloat : b.dtype(x);
    const Moments now = moments(b, cast(b, x, computeType(b, x)), iotaInts(*axis, b.failed() ? *axis : b.rank(x)));
    const Var inverse = inverseRoot(b, now.variance, call.real("eps"));
    call.give({y, cast(b, now.mean, dtype), cast(b, inverse, dtype)});
}

/// What is added where a program says nothing: the distance of 1 from the next number.
constexpr double epsilonOf(DataType dtype) {
    return dtype == types::Float64    ? std::numeric_limits<double>::epsilon()
           : dtype == types::Float16  ? 0x1p-10
           : dtype == types::BFloat16 ? 0x1p-7
                                      : std::numeric_limits<float>::epsilon();
}

void convertRmsNorm(Call& call, Builder& b) {
    const Var x = call.tensor("input"), weight = call.optionalTensor("weight");
    const auto axis = firstNormalized(call, b, x);
    const std::optional<double> epsilon = call.optionalReal("eps");
    if (!axis || call.failed())
        return;
    const DataType dtype = b.dtype(x);
    const Ints axes = iotaInts(*axis, b.rank(x));
    call.give(inSingle(b, x, [&](Var v) {
        const Var square = reduce(b, "mean", mul(b, v, v), axes, true);
        const Var y = mul(b, v, inverseRoot(b, square, epsilon.value_or(epsilonOf(dtype))));
        return weight && !b.failed() ? mul(b, y, fitted(b, cast(b, weight, b.dtype(v)), b.shape(v))) : y;
    }));
}

// ---- of groups

GroupNorm readGroupNorm(Call& call, const char* groups) {
    return {call.integer(groups), call.real("eps"), call.optionalTensor("weight"), call.optionalTensor("bias"), false};
}
void convertGroupNorm(Call& call, Builder& b) {
    call.give(groupNormalized(b, call.tensor("input"), readGroupNorm(call, "num_groups")).y);
}
void convertNativeGroupNorm(Call& call, Builder& b) {
    const Var x = call.tensor("input");
    const GroupNorm norm = readGroupNorm(call, "group");
    const GroupNormalized result = groupNormalized(b, x, norm);
    const Dims ofGroups = {dim(b, x, 0), norm.groups};
    call.give({result.y, reshape(b, result.mean, ofGroups), reshape(b, result.inverse, ofGroups)});
}

// ---- dropout

void giveDropout(Call& call, Builder& b, bool training, bool withMask) {
    const Var x = call.tensor("input");
    const double ratio = call.real("p");
    if (call.failed())
        return;
    const Dims shape = b.shape(x);
    Var y = b.call(Op::Dropout, {x}), mask = full(b, b.scalar(1, types::Bool), shape);
    if (training && ratio > 0) {
        RandomAttrs attrs;
        attrs.shape = shape;
        attrs.call = call.nextRandomCall();
        const Var draw = b.call(Op::RandomUniform, {}, attrs);
        mask = b.call(Op::GreaterEqual, {draw, scalarLike(b, ratio, draw)});
        const double factor = ratio < 1 ? 1 / (1 - ratio) : 0;
        y = inSingle(b, x, [&](Var v) { return where(b, mask, mulBy(b, v, factor), scalarLike(b, 0, v)); });
    }
    call.give(withMask ? std::vector{y, mask} : std::vector{y});
}
void convertDropout(Call& call, Builder& b) {
    giveDropout(call, b, call.flag("train"), false);
}
/// Other kinds of dropout are the same while a model is not trained.
void convertIdleDropout(Call& call, Builder& b) {
    if (call.flag("train") && call.real("p") > 0)
        return call.refuse("this dropout is not supported in training",
                           "export the model in evaluation mode: model.eval()");
    giveDropout(call, b, false, false);
}
void convertNativeDropout(Call& call, Builder& b) {
    giveDropout(call, b, call.isNone("train") || call.flag("train"), true);
}

constexpr auto normRows = std::to_array<Row>({
    {"aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float "
     "eps=1e-05, bool cudnn_enable=True) -> Tensor",
     convertLayerNorm, Normalization},
    {"aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> "
     "(Tensor, Tensor, Tensor)",
     convertNativeLayerNorm, Normalization},
    {"aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
     convertRmsNorm, Normalization},
    {"aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool "
     "cudnn_enabled=True) -> Tensor",
     convertGroupNorm, Normalization},
    {"aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, "
     "float eps) -> (Tensor, Tensor, Tensor)",
     convertNativeGroupNorm, Normalization},
    {"aten::dropout(Tensor input, float p, bool train) -> Tensor", convertDropout, Normalization},
    {"aten::feature_dropout(Tensor input, float p, bool train) -> Tensor", convertIdleDropout, Normalization},
    {"aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor", convertIdleDropout, Normalization},
    {"aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)", convertNativeDropout,
     Normalization},
});

} // namespace

std::span<const Row> rowsOfNorms() {
    return normRows;
}

} // namespace lathe::frontend::torch
