// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/dialect.h"

#include "frontend/tensorflow/table.h"

#include <fmt/format.h>

namespace lathe::frontend::tensorflow {

ConvertFn TensorflowDialect::converterOf(const model::Node& node) const {
    const Row* row = findRow(node.op);
    return row ? row->convert : nullptr;
}

std::optional<Diagnostic> TensorflowDialect::refusalOf(const model::Node& node) const {
    if (findRow(node.op))
        return std::nullopt;
    return error(ErrorKind::Unsupported, fmt::format("operator {} is not supported", node.op),
                 "export the part of the model that computes with numbers, without reading files and texts");
}

void TensorflowDialect::checked(NodeReader&, const std::function<void()>& convert) const {
    convert(); // a file declares types of its inputs alone
}

Result<std::shared_ptr<model::Graph>> TensorflowDialect::bodyOf(NodeReader& node, std::vector<Value>&) {
    throw InternalError(fmt::format("no operator of TensorFlow is defined by a body, {} neither", node.node.op));
}

std::optional<Branches> TensorflowDialect::branchesOf(const model::Node&) const {
    return std::nullopt; // graphs of branches are passed what they read, so nothing behind them can move into them
}

} // namespace lathe::frontend::tensorflow
