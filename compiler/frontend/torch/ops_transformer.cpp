// SPDX-License-Identifier: Apache-2.0
//
// Whole parts of transformers, as the modules of PyTorch call them where no gradient is asked for: attention with several heads
// and its projections, and a layer of an encoder.
#include "frontend/common/activations.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// x · weightᵀ + bias, rounded once.
Var projected(Builder& b, Var x, Var weight, Var bias) {
    if (b.failed())
        return {};
    const DataType sums = computeType(b, x);
    return cast(b, add(b, matmul(b, x, weight, false, true, sums), cast(b, bias, sums)), b.dtype(x));
}

/// Queries, keys and values of [batch, length, width], and one matrix that projects all of them.
struct Heads {
    Var query, key, value;
    Var weight, bias;       // [3 width, width], [3 width]
    Var outWeight, outBias; // of the projection behind
    int64_t width = 0, count = 1;
    Var mask; // may be absent: what is not seen
    int64_t maskKind = 0;
};

Heads readHeads(Call& call) {
    Heads heads;
    heads.weight = call.tensor("qkv_weight");
    heads.bias = call.tensor("qkv_bias");
    heads.outWeight = call.tensor("proj_weight");
    heads.outBias = call.tensor("proj_bias");
    heads.width = call.integer("embed_dim");
    heads.mask = call.optionalTensor("mask");
    heads.maskKind = call.optionalInteger("mask_type").value_or(2);
    return heads;
}

bool areSplit(Call& call, const Heads& heads) {
    if (!call.failed() && (heads.count < 1 || heads.width < 1 || heads.width % heads.count != 0))
        call.fail(fmt::format("a width of {} is not split into {} heads", heads.width, heads.count));
    return !call.failed();
}

/// As a mask of [batch, heads, queries, keys]: of queries and keys, of the batch's keys, or of all.
Var maskOfAll(Builder& b, const Heads& heads) {
    const Dims shape = b.failed() ? Dims() : b.shape(heads.mask);
    if (heads.maskKind == 0 && shape.size() == 2)
        return reshape(b, heads.mask, {1, 1, shape[0], shape[1]});
    if (heads.maskKind == 1 && shape.size() == 2)
        return reshape(b, heads.mask, {shape[0], 1, 1, shape[1]});
    return heads.mask;
}

struct AttendedHeads {
    Var output, weights; // [batch, length, width]; [batch, heads, queries, keys]
};

AttendedHeads attendHeads(Call& call, Builder& b, const Heads& heads) {
    if (!areSplit(call, heads) || !needRank(b, heads.query, 3) || !needRank(b, heads.key, 3) ||
        !needRank(b, heads.value, 3))
        return {};
    const int64_t each = heads.width / heads.count;
    const auto part = [&](Var x, int64_t i) {
        const Var y = projected(b, x, sliceAxis(b, heads.weight, 0, i * heads.width, heads.width),
                                sliceAxis(b, heads.bias, 0, i * heads.width, heads.width));
        const Dims shape = b.failed() ? Dims(3, Expr(1)) : b.shape(y);
        return transpose(b, reshape(b, y, {shape[0], shape[1], heads.count, each}), {0, 2, 1, 3});
    };
    const Var query = part(heads.query, 0), key = part(heads.key, 1), value = part(heads.value, 2);
    const DataType dtype = b.failed() ? defaultFloat : b.dtype(query);
    const DataType compute = b.failed() ? defaultFloat : computeType(b, query);
    Var scores = mulBy(b, matmul(b, query, key, false, true, compute), 1 / std::sqrt(static_cast<double>(each)));
    if (heads.mask) {
        const Var never = b.scalar(-std::numeric_limits<double>::infinity(), compute);
        const Var mask = maskOfAll(b, heads);
        scores = isBool(b, mask) ? where(b, mask, never, scores) : add(b, scores, cast(b, mask, compute));
    }
    const Var weights = cast(b, softmax(b, scores, 3), dtype);
    const Var seen = transpose(b, matmul(b, weights, value), {0, 2, 1, 3});
    const Dims shape = b.failed() ? Dims(4, Expr(1)) : b.shape(seen);
    const Var joined = reshape(b, seen, {shape[0], shape[1], heads.width});
    return {projected(b, joined, heads.outWeight, heads.outBias), weights};
}

void convertHeads(Call& call, Builder& b) {
    Heads heads = readHeads(call);
    heads.query = call.tensor("query");
    heads.key = call.tensor("key");
    heads.value = call.tensor("value");
    heads.count = call.integer("num_head");
    const AttendedHeads attended = attendHeads(call, b, heads);
    if (!call.flag("need_weights"))
        return call.give({attended.output, Var{}});
    const bool isMean = call.flag("average_attn_weights");
    call.give({attended.output, isMean ? reduce(b, "mean", attended.weights, {1}, false) : attended.weights});
}

Var normalizedLast(Builder& b, Var x, Var weight, Var bias, double epsilon) {
    if (b.failed())
        return {};
    relay::NormAttrs attrs;
    attrs.axis = b.rank(x) - 1;
    attrs.epsilon = epsilon;
    return b.call(Op::LayerNorm, {x, weight, bias}, attrs);
}

void convertEncoderLayer(Call& call, Builder& b) {
    const Var source = call.tensor("src");
    Heads heads = readHeads(call);
    heads.count = call.integer("num_heads");
    const double epsilon = call.real("eps");
    const bool isNormFirst = call.flag("norm_first"), isGelu = call.flag("use_gelu");
    const auto norm = [&](Var x, const char* weight, const char* bias) {
        return normalizedLast(b, x, call.tensor(weight), call.tensor(bias), epsilon);
    };
    if (call.failed())
        return;
    heads.query = heads.key = heads.value = isNormFirst ? norm(source, "norm_weight_1", "norm_bias_1") : source;
    Var x = add(b, attendHeads(call, b, heads).output, source);
    if (!isNormFirst)
        x = norm(x, "norm_weight_1", "norm_bias_1");
    const Var before = x;
    if (isNormFirst)
        x = norm(x, "norm_weight_2", "norm_bias_2");
    const Var inner = projected(b, x, call.tensor("ffn_weight_1"), call.tensor("ffn_bias_1"));
    const Var active =
        isGelu ? inSingle(b, inner, [&](Var v) { return gelu(b, v, false); }) : b.call(Op::Relu, {inner});
    x = add(b, projected(b, active, call.tensor("ffn_weight_2"), call.tensor("ffn_bias_2")), before);
    call.give(isNormFirst ? x : norm(x, "norm_weight_2", "norm_bias_2"));
}

constexpr auto transformerRows = std::to_array<Row>({
    {"aten::_native_multi_head_attention(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, Tensor "
     "qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, "
     "bool "
     "average_attn_weights=True, int? mask_type=None) -> (Tensor, Tensor)",
     convertHeads, Product},
    {"aten::_transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor "
     "qkv_bias, "
     "Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, Tensor "
     "norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor "
     "ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, int? mask_type=None) -> Tensor",
     convertEncoderLayer, Product},
});

} // namespace

std::span<const Row> rowsOfTransformers() {
    return transformerRows;
}

} // namespace lathe::frontend::torch
