// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/dialect.h"

#include "frontend/keras/graph_reader.h"
#include "frontend/keras/masks.h"
#include "frontend/keras/table.h"

#include <fmt/format.h>

namespace lathe::frontend::keras {

namespace {

/// Whether the layer does other things while it is trained.
bool dependsOnTraining(const NodeReader& node) {
    return node.node.op == "BatchNormalization" || node.has("rate") || node.has("stddev") || node.has("dropout") ||
           node.has("layer");
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

Result<std::shared_ptr<model::Graph>> KerasDialect::bodyOf(NodeReader& node, std::vector<Value>&) {
    throw InternalError(fmt::format("no layer of Keras is defined by a body, {} neither", node.node.op));
}

std::optional<Branches> KerasDialect::branchesOf(const model::Node&) const {
    return std::nullopt; // there are none
}

} // namespace lathe::frontend::keras
