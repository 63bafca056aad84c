// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/dialect.h"

#include "frontend/keras/graph_reader.h"
#include "frontend/keras/masks.h"
#include "frontend/keras/table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace lathe::frontend::keras {

namespace {

/// Layers of Keras that are not imported, and why.
struct Refused {
    std::array<std::string_view, 4> names;
    std::string_view what, hint;
};
constexpr auto refusals = std::to_array<Refused>({
    {{"StringLookup", "TextVectorization"},
     "looks texts up, which is not supported",
     "look them up outside of the model, and let it take their numbers"},
    {{"Hashing", "HashedCrossing"},
     "is made of hashes, which is not supported",
     "hash outside of the model, and let it take the numbers"},
    {{"FlaxLayer", "JaxLayer", "TorchModuleWrapper", "TFSMLayer"},
     "holds a program of another framework, which is not supported",
     "export the model of that framework by itself"},
    {{"MelSpectrogram", "STFTSpectrogram", "Pipeline", "RandomCrop"},
     "is not supported",
     "do what it does before the model, and let that take the result"},
    {{"AutoContrast", "ContrastLimitedAdaptiveHistogramEqualization", "Equalization", "Solarization"},
     "changes pictures, which is not supported",
     "change them before the model"},
    {{"CuDNNGRU", "CuDNNLSTM", "LocallyConnected1D", "LocallyConnected2D"},
     "is of older versions of Keras, and is not supported",
     "build the model with GRU, LSTM or convolutions"},
});

/// Whether the layer does other things while it is trained.
bool dependsOnTraining(const NodeReader& node) {
    return node.node.op == "BatchNormalization" || node.has("rate") || node.has("stddev") || node.has("dropout") ||
           node.has("layer") || node.node.op.starts_with("Random");
}

} // namespace

ConvertFn KerasDialect::converterOf(const model::Node& node) const {
    const Row* row = findRow(node.domain, node.op);
    return row ? row->convert : nullptr;
}

std::optional<Diagnostic> KerasDialect::refusalOf(const model::Node& node) const {
    if (findRow(node.domain, node.op))
        return std::nullopt;
    if (node.domain == operations || node.domain == tensorflow)
        return error(ErrorKind::Unsupported, fmt::format("operation {} is not supported", node.op),
                     "compose it of others, or use a layer");
    for (const auto& [names, what, hint] : refusals)
        if (std::ranges::find(names, std::string_view(node.op)) != names.end())
            return error(ErrorKind::Unsupported, fmt::format("a layer {} {}", node.op, what), std::string(hint));
    if (node.op == "Lambda")
        return error(ErrorKind::Unsupported,
                     "a Lambda layer holds a program of Python, which is never run: it is not supported",
                     "build the model with layers of Keras in its place");
    return error(
        ErrorKind::Unsupported,
        fmt::format("layer class '{}' is unknown: it is none of Keras's that Lathe knows, and only the program "
                    "that the model was made for defines others",
                    node.op),
        "build the model with layers of Keras in its place");
}

void KerasDialect::checked(NodeReader& node, const std::function<void()>& convert) const {
    if (node.integer("call.training", 0) != 0 && dependsOnTraining(node))
        return node.refuse("the layer is called as in training", "call it without training=True");
    if (node.has("quantization_config"))
        return node.refuse("quantized layers are not supported", "save the model without quantization");
    convert();
    keepMask(node);
}

} // namespace lathe::frontend::keras
