// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/weight_specs.h"

#include "frontend/keras/config.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

using Specs = std::vector<WeightSpec>;

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

/// Several parts with a kernel and perhaps a bias each.
Specs ofParts(const Json& config, std::initializer_list<std::pair<const char*, const char*>> parts) {
    Specs specs;
    for (const auto& [part, name] : parts) {
        specs.push_back({part, fmt::format("{}.kernel", name)});
        if (flagOf(config, "use_bias", true))
            specs.push_back({part, fmt::format("{}.bias", name)});
    }
    return specs;
}

Specs ofNormalization(const Json& config) {
    Specs specs;
    if (flagOf(config, "scale", true))
        specs.push_back({"", "gamma"});
    if (flagOf(config, "center", true))
        specs.push_back({"", "beta"});
    return specs;
}

Specs ofCell(const Json& config, const std::string& part, const std::string& prefix) {
    Specs specs = {{part, prefix + "kernel"}, {part, prefix + "recurrent_kernel"}};
    if (flagOf(config, "use_bias", true))
        specs.push_back({part, prefix + "bias"});
    return specs;
}

/// Of RNN with the cell, or cells, that its config names.
Specs ofCells(const Json& config) {
    const Json& cell = memberOf(config, "cell");
    const Json& cells = memberOf(configOf(cell), "cells");
    if (!cells.is_array())
        return ofCell(configOf(cell), "cell", "cell.");
    Specs specs;
    NamesInOrder names;
    for (size_t i = 0; i < cells.size(); ++i)
        std::ranges::move(
            ofCell(configOf(cells[i]), "cell/cells/" + names.next(classOf(cells[i])), fmt::format("cell.cells.{}.", i)),
            std::back_inserter(specs));
    return specs;
}

Specs ofDirections(const Json& config) {
    const Json& layer = memberOf(config, "layer");
    const Json& given = memberOf(config, "backward_layer");
    const Json& backward = given.is_object() ? given : layer;
    Specs specs;
    for (const bool isForward : {true, false}) {
        const Json& one = isForward ? layer : backward;
        if (classOf(one) == "Bidirectional")
            return {};
        for (const WeightSpec& spec : weightsOf(classOf(one), configOf(one)))
            specs.push_back({fmt::format("{}/{}", isForward ? "forward_layer" : "backward_layer", spec.part),
                             (isForward ? "forward." : "backward.") + spec.name});
    }
    return specs;
}

} // namespace

std::vector<WeightSpec> weightsOf(std::string_view name, const Json& config) {
    const bool hasBias = flagOf(config, "use_bias", true);
    const auto withBias = [&](Specs specs) {
        if (hasBias)
            specs.push_back({"", "bias"});
        return specs;
    };
    if (isOneOf(name, {"Dense", "Conv1D", "Conv2D", "Conv3D", "Convolution1D", "Convolution2D", "Convolution3D",
                       "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose", "DepthwiseConv1D", "DepthwiseConv2D"}))
        return withBias({{"", "kernel"}});
    if (isOneOf(name, {"SeparableConv1D", "SeparableConv2D"}))
        return withBias({{"", "depthwise_kernel"}, {"", "pointwise_kernel"}});
    if (name == "EinsumDense")
        return memberOf(config, "bias_axes").is_string() ? Specs{{"", "kernel"}, {"", "bias"}} : Specs{{"", "kernel"}};
    if (isOneOf(name, {"BatchNormalization", "SyncBatchNormalization"})) {
        Specs specs = ofNormalization(config);
        specs.push_back({"", "moving_mean", false});
        specs.push_back({"", "moving_variance", false});
        return specs;
    }
    if (name == "LayerNormalization" && flagOf(config, "rms_scaling", false))
        return {{"", "gamma"}};
    if (isOneOf(name, {"LayerNormalization", "GroupNormalization"}))
        return ofNormalization(config);
    if (name == "RMSNormalization")
        return {{"", "scale"}};
    if (name == "PReLU")
        return {{"", "alpha"}};
    if (name == "Embedding" || (name == "ReversibleEmbedding" && flagOf(config, "tie_weights", true)))
        return {{"", "embeddings"}};
    if (name == "ReversibleEmbedding")
        return {{"", "embeddings"}, {"", "reverse_embeddings"}};
    if (name == "Normalization")
        return memberOf(config, "mean").is_null()
                   ? Specs{{"", "mean", false}, {"", "variance", false}, {"", "count", false, false}}
                   : Specs{};
    if (isOneOf(name, {"LSTM", "GRU", "SimpleRNN", "ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D"}))
        return ofCell(config, "cell", "");
    if (name == "RNN")
        return ofCells(config);
    if (name == "Bidirectional")
        return ofDirections(config);
    if (name == "MultiHeadAttention")
        return ofParts(
            config,
            {{"query_dense", "query"}, {"key_dense", "key"}, {"value_dense", "value"}, {"output_dense", "output"}});
    if (isOneOf(name, {"GroupQueryAttention", "GroupedQueryAttention"}))
        return ofParts(
            config,
            {{"_query_dense", "query"}, {"_key_dense", "key"}, {"_value_dense", "value"}, {"_output_dense", "output"}});
    if (isOneOf(name, {"Attention", "AdditiveAttention"})) {
        Specs specs;
        if (flagOf(config, "use_scale", name == "AdditiveAttention"))
            specs.push_back({"", "scale"});
        if (textOf(config, "score_mode") == "concat")
            specs.push_back({"", "concat_score_weight"});
        return specs;
    }
    return {};
}

/// A word begins at a capital with small letters behind it, and at one behind a small letter.
std::string snakeCase(std::string_view given) {
    if (given == "GroupQueryAttention")
        return "grouped_query_attention"; // the class is called otherwise than it is exported
    std::string name;
    for (const char c : given)
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
            name += c;
    const auto isUpper = [](char c) { return c >= 'A' && c <= 'Z'; };
    const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
    std::string parted;
    size_t taken = 0; // by a word that began
    for (size_t i = 0; i < name.size(); ++i) {
        if (i > taken && isUpper(name[i]) && i + 1 < name.size() && isLower(name[i + 1])) {
            parted += '_';
            taken = i + 1;
            while (taken < name.size() && isLower(name[taken]))
                ++taken;
        }
        parted += name[i];
    }
    std::string snake;
    for (size_t i = 0; i < parted.size(); ++i) {
        if (i > 0 && isUpper(parted[i]) && isLower(parted[i - 1]))
            snake += '_';
        snake += static_cast<char>(std::tolower(static_cast<unsigned char>(parted[i])));
    }
    return snake;
}

std::string NamesInOrder::next(std::string_view className) {
    const std::string name = snakeCase(className);
    const auto [found, isFirst] = counts_.emplace(name, 0);
    return isFirst ? name : fmt::format("{}_{}", name, ++found->second);
}

} // namespace lathe::frontend::keras
