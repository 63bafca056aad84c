// SPDX-License-Identifier: Apache-2.0
//
// Attention: weighted means of values, by how well keys fit queries.
#include "frontend/keras/functions.h"
#include "frontend/keras/masks.h"
#include "frontend/keras/ops.h"

#include <cmath>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

/// Scores [..., queries, keys] with those that the mask hides as good as none.
Var unhidden(Builder& b, Var scores, Var mask) {
    if (!mask || b.failed())
        return scores;
    const double hidden = b.dtype(scores) == types::Float16 ? -65504 : -1e9;
    return where(b, mask, scores, scalarLike(b, hidden, scores));
}

/// [queries, keys]: no key behind its query.
Var causal(Builder& b, Var scores) {
    if (b.failed())
        return {};
    const Expr queries = dim(b, scores, -2), keys = dim(b, scores, -1);
    const Var row = iota(b, {queries, keys}, 0, types::Int64), column = iota(b, {queries, keys}, 1, types::Int64);
    return b.call(Op::LessEqual, {column, row});
}

/// Softmax of the scores that the mask shows, which may be absent, times values; the weights go to result 1 if it is
/// wanted.
Var attended(Layer& layer, Var scores, Var values, Var mask) {
    Builder& b = layer.b;
    if (b.failed())
        return {};
    const Var seen = layer.callFlag("use_causal_mask") ? bothOf(b, mask, causal(b, scores)) : mask;
    const Var weights = softmax(b, unhidden(b, scores, seen), b.rank(scores) - 1);
    if (layer.node.wants(1))
        layer.give(weights, 1);
    return matmul(b, weights, values);
}

struct Heads {
    int64_t queries = 1, keys = 1, width = 1, valueWidth = 1;
};

/// x [batch, steps, features] by a kernel [features, heads, width], as [batch, heads, steps, width].
Var projected(Layer& layer, Var x, const std::string& name, int64_t heads, int64_t width) {
    Builder& b = layer.b;
    if (b.failed() || !layer.node.needRank(x, 3))
        return {};
    const Var kernel = layer.weight(name + ".kernel", {dim(b, x, 2), heads, width});
    Var y = matmul(b, x, reshape(b, kernel, {dim(b, x, 2), heads * width}));
    if (const Var bias = layer.optionalWeight(name + ".bias", {heads, width}))
        y = add(b, y, reshape(b, bias, {heads * width}));
    return transpose(b, reshape(b, y, {dim(b, x, 0), dim(b, x, 1), heads, width}), {0, 2, 1, 3});
}

/// Each head of keys for as many heads of queries.
Var repeated(Builder& b, Var x, int64_t times) {
    if (times == 1 || b.failed())
        return x;
    const Dims shape = b.shape(x);
    const Var each = expand(b, unsqueeze(b, x, {2}), {shape[0], shape[1], times, shape[2], shape[3]});
    return reshape(b, each, {shape[0], arith::simplify(shape[1] * times), shape[2], shape[3]});
}

/// What of [batch, heads, queries, keys] is seen, by the masks of query, value and key and by that of the call.
/// place(label, name): where an argument is given.
Var maskOfHeads(Layer& layer, Var queryMask, const auto& place) {
    Builder& b = layer.b;
    const auto over = [&](Var mask, const Ints& axes) {
        return mask && layer.node.needRank(mask, 2) ? unsqueeze(b, mask, axes) : Var{};
    };
    const Ints ofQueries = {1, 3}, ofKeys = {1, 2};
    Var seen = over(queryMask, ofQueries);
    seen = bothOf(b, seen, over(maskOf(layer, "value", place("arg.1", "value")), ofKeys));
    seen = bothOf(b, seen, over(maskOf(layer, "key", place("arg.2", "key")), ofKeys));
    Var given = maskOf(layer, "attention", ""); // [batch, queries, keys], perhaps one for each head
    if (!given || b.failed())
        return seen;
    if (b.rank(given) == 3)
        given = unsqueeze(b, given, {1});
    return bothOf(b, seen, given);
}

void manyHeads(NodeReader& node, const Heads& heads) {
    Layer layer(node);
    Builder& b = node.b;
    if (layer.flag("use_gate", false) || !layer.integers("sliding_window").empty())
        return node.refuse("gates and sliding windows are not supported", "build the layer without them");
    const auto place = [&](const char* label, const char* name) {
        return layer.hasArgument(label) ? std::string(label) : std::string("call.") + name;
    };
    const Var query = layer.argument(place("arg.0", "query")), value = layer.argument(place("arg.1", "value")),
              own = layer.argument(place("arg.2", "key"));
    const auto isTooMany = [](int64_t count) { return count < 1 || count > mostExtent; };
    if (!query || !value || isTooMany(heads.queries) || isTooMany(heads.keys) || isTooMany(heads.width) ||
        isTooMany(heads.valueWidth) || heads.queries % heads.keys != 0)
        return node.fail("the layer is not called with a query and a value, or has no heads", "correct the model");
    const int64_t times = heads.queries / heads.keys;
    const Var q = projected(layer, query, "query", heads.queries, heads.width);
    const Var k = repeated(b, projected(layer, own ? own : value, "key", heads.keys, heads.width), times);
    const Var v = repeated(b, projected(layer, value, "value", heads.keys, heads.valueWidth), times);
    const Var scores = matmul(b, mulBy(b, q, 1 / std::sqrt(static_cast<double>(heads.width))), k, false, true);
    const Var queryMask = maskOf(layer, "query", place("arg.0", "query"));
    const Var joined = transpose(b, attended(layer, scores, v, maskOfHeads(layer, queryMask, place)), {0, 2, 1, 3});
    if (b.failed())
        return;
    const Expr width = heads.queries * heads.valueWidth;
    const Var kernel = layer.weight("output.kernel", {Expr(heads.queries), Expr(heads.valueWidth), Expr()});
    if (b.failed())
        return;
    const Expr features = dim(b, kernel, 2);
    const Var y = matmul(b, reshape(b, joined, {dim(b, query, 0), dim(b, query, 1), width}),
                         reshape(b, kernel, {width, features}));
    const Var bias = layer.optionalWeight("output.bias", {features});
    layer.give(bias ? add(b, y, bias) : y, 0, queryMask);
}

/// Query, value and key, as lists or arguments of their own.
void oneHead(NodeReader& node, const auto& scoresOf) {
    Layer layer(node);
    Builder& b = node.b;
    const Var query = layer.in(0), value = layer.in(1);
    const Var key = layer.operands() > 2 ? layer.in(2) : value;
    if (!node.needRank(query, 3) || !node.needRank(value, 3) || !node.needRank(key, 3))
        return;
    const Var queryMask = maskOf(layer, 0), valueMask = maskOf(layer, 1);
    const Var seen = valueMask && node.needRank(valueMask, 2) ? unsqueeze(b, valueMask, {1}) : Var{};
    Var y = attended(layer, scoresOf(layer, query, key), value, seen);
    if (queryMask && !b.failed())
        y = mul(b, y, unsqueeze(b, factorOf(b, queryMask, y), {2}));
    layer.give(y, 0, queryMask);
}

} // namespace

void convertMultiHeadAttention(NodeReader& node, Builder&) {
    const Ints axes = node.has("attention_axes") ? Layer(node).integers("attention_axes") : Ints{1};
    if (axes != Ints{1})
        return node.refuse("attention over other axes than the second is not supported", "reshape before it");
    const int64_t heads = node.integer("num_heads", 1), width = node.integer("key_dim", 1);
    manyHeads(node, {heads, heads, width, node.integer("value_dim", width)});
}

void convertGroupQueryAttention(NodeReader& node, Builder&) {
    const int64_t width = node.integer("head_dim", 1);
    manyHeads(node, {node.integer("num_query_heads", 1), node.integer("num_key_value_heads", 1), width, width});
}

void convertAttention(NodeReader& node, Builder& b) {
    const std::string mode = node.text("score_mode", "dot");
    if (mode != "dot" && mode != "concat")
        return node.fail(fmt::format("'score_mode' is '{}'", mode), "correct the model's config");
    oneHead(node, [&](Layer& layer, Var query, Var key) {
        const auto scaled = [&](Var x) { return layer.hasWeight("scale") ? mul(b, x, layer.weight("scale", {})) : x; };
        if (mode == "dot")
            return scaled(matmul(b, query, key, false, true));
        const Var sums = scaled(add(b, unsqueeze(b, query, {2}), unsqueeze(b, key, {1})));
        return mul(b, reduce(b, "sum", b.call(Op::Tanh, {sums}), {3}, false), layer.weight("concat_score_weight", {}));
    });
}

/// The score is the sum of scale · tanh(query + key).
void convertAdditiveAttention(NodeReader& node, Builder& b) {
    oneHead(node, [&](Layer& layer, Var query, Var key) {
        Var sums = b.call(Op::Tanh, {add(b, unsqueeze(b, query, {2}), unsqueeze(b, key, {1}))});
        if (layer.hasWeight("scale"))
            sums = mul(b, sums, layer.weight("scale", {dim(b, sums, 3)}));
        return reduce(b, "sum", sums, {3}, false);
    });
}

} // namespace lathe::frontend::keras
