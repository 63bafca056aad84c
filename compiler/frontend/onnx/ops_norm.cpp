// SPDX-License-Identifier: Apache-2.0
//
// Normalizations and dropout.
#include "frontend/common/branches.h"
#include "frontend/common/group_norm.h"
#include "frontend/common/local_response.h"
#include "frontend/common/reductions.h"
#include "frontend/onnx/ops.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {

using namespace relay;

void convertBatchNormalization(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    Var scale = node.in(1), bias = node.in(2), mean = node.in(3), variance = node.in(4);
    if (b.failed())
        return;
    const double epsilon = node.real("epsilon", 1e-5);
    const bool training = node.version() >= 14 && node.integer("training_mode", 0) != 0;
    if (node.version() < 9 && node.integer("spatial", 1) == 0)
        return node.refuse("spatial = 0 is not supported", "export the model with a newer opset");
    if (!training) {
        NormAttrs attrs;
        attrs.axis = 1;
        attrs.epsilon = epsilon;
        if (b.rank(x) < 2)
            return node.fail("the operand has no channels");
        node.set(0, b.call(Op::BatchNorm, {x, scale, bias, mean, variance}, attrs));
        return;
    }
    const double momentum = node.real("momentum", 0.9);
    Ints axes = iotaInts(0, b.rank(x));
    if (axes.size() < 2)
        return node.fail("the operand has no channels");
    axes.erase(axes.begin() + 1);
    Moments now;
    node.set(0, inSingle(b, x, [&](Var v) {
                 const auto channel = [&](Var each) { return fittedAlong(b, cast(b, each, b.dtype(v)), 1, v); };
                 now = moments(b, v, axes);
                 const Var normal = mul(b, now.centered, inverseRoot(b, now.variance, epsilon));
                 return add(b, mul(b, normal, channel(scale)), channel(bias));
             }));
    const auto running = [&](Var old, Var current) {
        return inSingle(b, old, [&](Var v) {
            const Var flat = cast(b, reshape(b, current, {dim(b, x, 1)}), b.dtype(v));
            return add(b, mulBy(b, fitted(b, v, {dim(b, x, 1)}), momentum), mulBy(b, flat, 1 - momentum));
        });
    };
    node.set(1, running(mean, now.mean));
    node.set(2, running(variance, now.variance));
}

void convertInstanceNormalization(NodeReader& node, Builder& b) {
    const Var x = node.in(0), scale = node.in(1), bias = node.in(2);
    if (!node.needRank(x, 3))
        return;
    const int64_t rank = b.rank(x);
    node.set(0, inSingle(b, x, [&](Var v) {
                 const auto channel = [&](Var each) { return fittedAlong(b, cast(b, each, b.dtype(v)), 1, v); };
                 const Moments now = moments(b, v, iotaInts(2, rank));
                 const Var inverse = inverseRoot(b, now.variance, node.real("epsilon", 1e-5));
                 return scaledAndMoved(b, v, now.mean, mul(b, inverse, channel(scale)), channel(bias));
             }));
}

/// Scale and bias are of a channel; before opset 21 of a group.
void convertGroupNormalization(NodeReader& node, Builder& b) {
    GroupNorm norm;
    norm.groups = node.integer("num_groups", 0);
    norm.epsilon = node.real("epsilon", 1e-5);
    norm.scale = node.in(1);
    norm.bias = node.in(2);
    norm.ofGroups = node.version() < 21;
    node.set(0, groupNormalized(b, node.in(0), norm).y);
}

void convertLayerNormalization(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 1))
        return;
    Var scale = node.in(1), bias = node.optional(2);
    if (b.failed())
        return;
    const int64_t rank = b.rank(x);
    const int64_t axis = node.axis(node.integer("axis", -1), rank);
    const double epsilon = node.real("epsilon", 1e-5);
    const DataType stash = elementType(node, "stash_type", types::Float32); // of mean, inverse and what leads to them
    const bool plain = stash == types::Float32 && !node.wants(1) && !node.wants(2) && b.rank(scale) == rank - axis &&
                       (!bias || b.rank(bias) == rank - axis);
    if (plain) {
        NormAttrs attrs;
        attrs.axis = axis;
        attrs.epsilon = epsilon;
        node.set(0, bias ? b.call(Op::LayerNorm, {x, scale, bias}, attrs) : b.call(Op::LayerNorm, {x, scale}, attrs));
        return;
    }
    scale = fitted(b, scale, b.shape(x));
    bias = fitted(b, bias, b.shape(x));
    const DataType dtype = b.dtype(x);
    const Moments now = moments(b, cast(b, x, dtype == types::Float64 ? dtype : stash), iotaInts(axis, rank));
    const Var inverse = inverseRoot(b, now.variance, epsilon);
    const DataType work = computeType(b, x);
    Var y = mul(b, cast(b, mul(b, now.centered, inverse), work), cast(b, scale, work));
    if (bias)
        y = add(b, y, cast(b, bias, work));
    node.set(0, b.failed() ? Var{} : cast(b, y, dtype));
    node.set(1, cast(b, now.mean, stash));
    node.set(2, cast(b, inverse, stash));
}

/// Not by ONNX's body for it, which takes the mean of squares less the square of the mean: of numbers far from zero that is
/// what rounding leaves, even negative, and then NaN.
void convertMeanVarianceNormalization(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 1))
        return;
    // An experiment before opset 9: with attributes of its own, and the same sums.
    const bool acrossChannels = node.version() < 9 && node.integer("across_channels", 0) != 0;
    const bool scales = node.version() >= 9 || node.integer("normalize_variance", 1) != 0;
    Ints axes = node.has("axes") ? node.integers("axes") : acrossChannels ? iotaInts(0, b.rank(x)) : Ints{0, 2, 3};
    for (int64_t& axis : axes)
        axis = node.axis(axis, b.rank(x));
    if (b.failed())
        return;
    node.set(0, inSingle(b, x, [&](Var v) {
                 const Moments now = moments(b, v, axes);
                 if (!scales)
                     return now.centered;
                 return div(b, now.centered, addTo(b, b.call(Op::Sqrt, {now.variance}), 1e-9));
             }));
}

void convertLpNormalization(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 1))
        return;
    const int64_t axis = node.axis(node.integer("axis", -1), b.rank(x));
    const bool absolute = node.integer("p", 2) == 1;
    node.set(0, inSingle(b, x, [&](Var v) {
                 const Var sum = reduce(b, "sum", absolute ? b.call(Op::Abs, {v}) : mul(b, v, v), {axis}, true);
                 const Var norm = absolute ? sum : b.call(Op::Sqrt, {sum});
                 // All zeros stay zeros: their norm is taken as one.
                 return div(b, v, where(b, equal(b, norm, scalarLike(b, 0, v)), scalarLike(b, 1, v), norm));
             }));
}

void convertLRN(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 3))
        return;
    const int64_t size = node.integer("size", 1);
    if (size < 1 || size > (1 << 20))
        return node.fail(fmt::format("size is {}", size));
    node.set(0, localResponse(b, x, (size - 1) / 2, size / 2, node.real("alpha", 1e-4), node.real("bias", 1),
                              node.real("beta", 0.75)));
}

/// Ratio and mode are operands since opset 12. A mode that only running tells is a branch.
void convertDropout(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const auto operand = [&](size_t i) { return node.version() >= 12 && node.hasInput(i); };
    const Var ratio = operand(1) ? cast(b, asScalar(b, node.in(1)), types::Float64)
                                 : b.scalar(node.real("ratio", 0.5), types::Float64);
    const bool trains = node.version() < 7 && node.has("is_test") && node.integer("is_test", 0) == 0;
    const Var training = operand(2) ? asScalar(b, node.in(2)) : b.scalar(trains ? 1 : 0, types::Bool);
    const DataType maskType = node.version() < 10 ? b.dtype(x) : types::Bool;
    const auto results = [&](Var y, const std::function<Var()>& mask) {
        std::vector<Value> values = {tensorValue(y)};
        if (node.wants(1))
            values.push_back(tensorValue(mask()));
        return values;
    };
    const auto whole = [&] {
        return results(b.call(Op::Dropout, {x}), [&] { return full(b, b.scalar(1, maskType), b.shape(x)); });
    };
    const auto thinned = [&] {
        if (const auto known = b.knownFloats(ratio); known && known->front() == 0)
            return whole();
        RandomAttrs attrs;
        attrs.shape = b.shape(x);
        attrs.hasSeed = node.has("seed");
        attrs.seed = static_cast<double>(node.integer("seed", 0));
        attrs.call = node.walk.nextRandomCall();
        const Var draw = b.call(Op::RandomUniform, {}, attrs);
        const Var kept = b.call(Op::GreaterEqual, {draw, cast(b, ratio, types::Float32)});
        const Var one = b.scalar(1, types::Float64), factor = div(b, one, sub(b, one, ratio));
        const Var y = inSingle(b, x, [&](Var v) {
            const Var zero = scalarLike(b, 0, v);
            return b.failed() ? Var{} : where(b, kept, mul(b, v, cast(b, factor, b.dtype(v))), zero);
        });
        return results(y, [&] { return cast(b, kept, maskType); });
    };
    const std::vector<Value> values = chosen(node, training, node.outputs(), thinned, whole);
    for (size_t i = 0; i < values.size(); ++i)
        node.set(i, values[i]);
}

} // namespace lathe::frontend::onnx
