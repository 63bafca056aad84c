// SPDX-License-Identifier: Apache-2.0
//
// What ONNX says to the walk over its graphs: converters by the table, types by the schemas, bodies by which operators are
// defined.
#pragma once

#include "frontend/common/dialect.h"
#include "frontend/onnx/graph_reader.h"

namespace lathe::frontend::onnx {

class OnnxDialect : public Dialect {
public:
    /// reader: of the model, which bodies become a part of.
    explicit OnnxDialect(GraphReader& reader) : reader_(reader) {}

    ConvertFn converterOf(const model::Node& node) const override;
    std::optional<Diagnostic> refusalOf(const model::Node& node) const override;
    void checked(NodeReader& node, const std::function<void()>& convert) const override;
    Result<std::shared_ptr<model::Graph>> bodyOf(NodeReader& node, std::vector<Value>& operands) override;
    std::optional<Branches> branchesOf(const model::Node& node) const override;

private:
    GraphReader& reader_;
};

} // namespace lathe::frontend::onnx
