// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/masks.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

namespace lathe::frontend::keras {
namespace {

constexpr const char* takenMasks = "taken_masks";

/// Classes whose results have the mask of the input; those that find or join masks give theirs themselves.
constexpr auto keepers = std::to_array<std::string_view>({
    "Activation",
    "ActivityRegularization",
    "AlphaDropout",
    "BatchNormalization",
    "Dense",
    "Dropout",
    "ELU",
    "GaussianDropout",
    "GaussianNoise",
    "GroupNormalization",
    "Identity",
    "LayerNormalization",
    "LeakyReLU",
    "PReLU",
    "ReLU",
    "Rescaling",
    "Softmax",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "ThresholdedReLU",
    "TimeDistributed",
    "UnitNormalization",
});
static_assert(std::ranges::is_sorted(keepers));

bool keepsMasks(const model::Node& node) {
    return node.domain.empty() && std::ranges::binary_search(keepers, node.op);
}

/// [batch, steps], bool, from what a call gives.
Var asMask(Builder& b, Var given) {
    if (!given || b.failed())
        return {};
    return b.dtype(given) == types::Bool ? given : b.call(Op::NotEqual, {given, scalarLike(b, 0, given)});
}

/// What the tensor has, unless it was taken off before.
Var carriedMask(Layer& layer, size_t i) {
    if (std::ranges::count(layer.integers(takenMasks), static_cast<int64_t>(i)) > 0)
        return {};
    const Value* value = layer.node.value(i);
    return value ? value->mask : Var{};
}

} // namespace

void keepMask(NodeReader& node) {
    if (node.failed() || !keepsMasks(node.node) || node.results.empty() || !node.results[0] || node.results[0]->mask)
        return;
    if (!node.has("arguments")) { // made by the reader
        if (const Value* value = node.value(0))
            node.results[0]->mask = value->mask;
        return;
    }
    Layer layer(node);
    if (layer.tensors() > 0)
        node.results[0]->mask = carriedMask(layer, 0);
}

void noteTakenMasks(model::Graph& graph) {
    std::set<std::string> taken;
    for (model::Node& node : graph.nodes) {
        const auto arguments = std::ranges::find(node.attributes, "arguments", &model::Attribute::name);
        const auto* labels =
            arguments == node.attributes.end() ? nullptr : std::get_if<std::vector<std::string>>(&arguments->value);
        if (!labels)
            continue;
        std::vector<int64_t> places;
        for (size_t i = 0; i < std::min(labels->size(), node.inputs.size()); ++i)
            if (taken.contains(node.inputs[i]))
                places.push_back(static_cast<int64_t>(i));
        if (node.op == "MultiHeadAttention" && node.version >= 3)
            for (size_t i = 0; i < std::min(labels->size(), node.inputs.size()); ++i)
                if (!(*labels)[i].ends_with("_mask"))
                    taken.insert(node.inputs[i]);
        if (!places.empty())
            node.attributes.push_back({takenMasks, std::move(places)});
    }
}

Var maskOf(Layer& layer, size_t i) {
    for (const std::string& label : {fmt::format("call.mask.{}", i), std::string(i == 0 ? "call.mask" : "")})
        if (layer.hasArgument(label))
            return asMask(layer.b, layer.argument(label));
    return i < layer.operands() ? carriedMask(layer, i) : Var{};
}

Var maskOf(Layer& layer, const std::string& name, const std::string& label) {
    if (const std::string given = fmt::format("call.{}_mask", name); layer.hasArgument(given))
        return asMask(layer.b, layer.argument(given));
    const auto place = layer.placeOf(label);
    return place ? carriedMask(layer, *place) : Var{};
}

Var anyOf(Builder& b, const std::vector<Var>& masks) {
    if (masks.empty() || !std::ranges::all_of(masks, [](Var mask) { return bool(mask); }))
        return {};
    Var any = masks.front();
    for (size_t i = 1; i < masks.size(); ++i)
        any = b.call(Op::LogicalOr, {any, masks[i]});
    return any;
}

Var bothOf(Builder& b, Var x, Var y) {
    return x && y ? b.call(Op::LogicalAnd, {x, y}) : x ? x : y;
}

Var factorOf(Builder& b, Var mask, Var x) {
    return b.failed() ? Var{} : cast(b, mask, b.dtype(x));
}

} // namespace lathe::frontend::keras
