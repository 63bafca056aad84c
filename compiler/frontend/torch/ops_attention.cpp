// SPDX-License-Identifier: Apache-2.0
//
// Attention: values, weighted by how well their keys fit the queries. The variants that PyTorch has for each kind of
// device compute the same.
#include "frontend/common/attention.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

struct Attention {
    Var query, key, value; // [.., L, E], [.., S, E], [.., S, Ev]
    Var mask;              // may be absent: bools say what is seen, numbers are added
    bool isCausal = false; // each place sees those up to its own, counted from the first
    std::optional<double> scale;
};

Attention readAttention(Call& call, const char* mask, double dropout) {
    Attention attention{call.tensor("query"),   call.tensor("key"),        call.tensor("value"), {},
                        call.flag("is_causal"), call.optionalReal("scale")};
    if (mask)
        attention.mask = call.optionalTensor(mask);
    if (dropout > 0)
        call.refuse("attention with dropout is random", "export the model in evaluation mode: model.eval()");
    return attention;
}

struct Attended {
    Var output, logSum; // of the weights before they were made to sum to one, [.., L]
};

/// What no key is seen of gives 0, as PyTorch has it.
Attended attend(Builder& b, const Attention& attention) {
    const auto [query, key, value, mask, isCausal, scale] = attention;
    if (!needRank(b, query, 2) || !needRank(b, key, 2) || !needRank(b, value, 2))
        return {};
    const DataType dtype = b.dtype(query), compute = computeType(b, query);
    const auto width = arith::asInt(dim(b, query, -1));
    if (!width && !scale) {
        b.fail("the width of the heads must be known when the model is compiled", {}, ErrorKind::Unsupported);
        return {};
    }
    const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(width.value_or(1))));
    Var scores = mulBy(b, matmul(b, query, key, false, true, compute), factor);
    const Var never = b.scalar(-std::numeric_limits<double>::infinity(), compute);
    if (isCausal) {
        const Var row = iota(b, {dim(b, query, -2), 1}, 0, types::Int64);
        const Var column = iota(b, {1, dim(b, key, -2)}, 1, types::Int64);
        scores = where(b, b.call(Op::LessEqual, {column, row}), scores, never);
    }
    if (mask)
        scores = isBool(b, mask) ? where(b, mask, scores, never) : add(b, scores, cast(b, mask, compute));
    if (b.failed())
        return {};
    const int64_t last = b.rank(scores) - 1;
    Var weights = softmax(b, scores, last);
    if (mask) {
        const Var most = reduce(b, "max", scores, {last}, true);
        weights = where(b, equal(b, most, never), scalarLike(b, 0, weights), weights);
    }
    const Var output = matmul(b, cast(b, weights, dtype), value);
    const Var most = reduce(b, "max", scores, {last}, true);
    const Var sum = reduce(b, "sum", b.call(Op::Exp, {sub(b, scores, most)}), {last}, true);
    return {output, squeeze(b, add(b, b.call(Op::Log, {sum}), most), {last})};
}

void convertAttention(Call& call, Builder& b) {
    Attention attention = readAttention(call, "attn_mask", call.real("dropout_p"));
    if (call.flag("enable_gqa") && !call.failed()) {
        attention.key = repeatedHeads(b, attention.key, attention.query);
        attention.value = repeatedHeads(b, attention.value, attention.query);
    }
    call.give(attend(b, attention).output);
}

/// The logarithm of the weights' sum is there for the gradient.
void convertAttentionForCpu(Call& call, Builder& b) {
    const Attended attended = attend(b, readAttention(call, "attn_mask", call.real("dropout_p")));
    call.give({attended.output, attended.logSum});
}
/// What is beyond it: sizes and the state of the random generator, which nothing but the gradient reads.
template <int others>
void giveAttended(Call& call, const Attended& attended) {
    std::vector<Var> results = {attended.output, attended.logSum};
    results.resize(results.size() + others);
    call.give(results);
}
void convertFlashAttention(Call& call, Builder& b) {
    giveAttended<7>(call, attend(b, readAttention(call, nullptr, call.real("dropout_p"))));
}
void convertEfficientAttention(Call& call, Builder& b) {
    giveAttended<2>(call, attend(b, readAttention(call, "attn_bias", call.real("dropout_p"))));
}

constexpr auto attentionRows = std::to_array<Row>({
    {"aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
     "dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
     convertAttention, Product},
    {"aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, "
     "bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)",
     convertAttentionForCpu, Product},
    {"aten::_scaled_dot_product_flash_attention(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, bool "
     "is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor output, Tensor logsumexp, Tensor "
     "cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, Tensor rng_state, Tensor unused, Tensor "
     "debug_attn_mask)",
     convertFlashAttention, Product},
    {"aten::_scaled_dot_product_efficient_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool "
     "compute_log_sumexp, float dropout_p=0.0, bool is_causal=False, *, float? scale=None) -> (Tensor output, Tensor "
     "log_sumexp, Tensor philox_seed, Tensor philox_offset)",
     convertEfficientAttention, Product},
});

} // namespace

std::span<const Row> rowsOfAttention() {
    return attentionRows;
}

} // namespace lathe::frontend::torch
