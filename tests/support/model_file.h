// SPDX-License-Identifier: Apache-2.0
//
// A ModelGraph that a test made as an ONNX file. Floats that have shapes and no values get small ones of both signs, so
// that sums over hundreds of them stay finite.
#pragma once

#include "model/model_graph.h"
#include "support/onnx_model.h"

#include <cmath>
#include <stdexcept>

namespace lathe::testing {

inline void addValue(::onnx::ValueInfoProto* info, const model::Value& value) {
    info->set_name(value.name);
    auto* tensor = info->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(value.type.dtype == types::Int64 ? ::onnx::TensorProto::INT64 : ::onnx::TensorProto::FLOAT);
    for (const model::Dim& dim : value.type.shape)
        tensor->mutable_shape()->add_dim()->set_dim_value(dim.value);
}

inline void addInitializer(::onnx::ModelProto& model, const model::Initializer& initializer) {
    const model::TensorData& data = *initializer.tensor;
    if (data.bytes.view.empty()) {
        const auto fanIn = float(data.shape.size() > 1 ? data.shape.front() : 1);
        addWeights(model, initializer.name, data.shape,
                   [&](int64_t i) { return float((i * 7919) % 19 - 9) / (9 * std::sqrt(fanIn)); });
        return;
    }
    ::onnx::TensorProto* tensor = model.mutable_graph()->add_initializer();
    tensor->set_name(initializer.name);
    tensor->set_data_type(data.dtype == types::Int64 ? ::onnx::TensorProto::INT64 : ::onnx::TensorProto::FLOAT);
    for (const int64_t dim : data.shape)
        tensor->add_dims(dim);
    tensor->set_raw_data(data.bytes.view.data(), data.bytes.view.size());
}

/// For graphs of float32 and int64 whose attributes are lists of integers; throws for others.
inline std::string modelFile(const model::ModelGraph& graph) {
    ::onnx::ModelProto model;
    model.set_ir_version(8);
    for (const auto& [domain, version] : graph.versions) {
        auto* opset = model.add_opset_import();
        opset->set_domain(domain);
        opset->set_version(version);
    }
    model.mutable_graph()->set_name(graph.graph->name);
    for (const model::Value& input : graph.graph->inputs)
        addValue(model.mutable_graph()->add_input(), input);
    for (const model::Value& output : graph.graph->outputs)
        addValue(model.mutable_graph()->add_output(), output);
    for (const model::Initializer& initializer : graph.graph->initializers)
        addInitializer(model, initializer);
    for (const model::Node& node : graph.graph->nodes) {
        ::onnx::NodeProto* proto = model.mutable_graph()->add_node();
        proto->set_name(node.name);
        proto->set_op_type(node.op);
        for (const std::string& input : node.inputs)
            proto->add_input(input);
        for (const std::string& output : node.outputs)
            proto->add_output(output);
        for (const model::Attribute& attribute : node.attributes) {
            const auto* values = std::get_if<std::vector<int64_t>>(&attribute.value);
            if (!values)
                throw std::runtime_error("an attribute that this writer does not know: " + attribute.name);
            ::onnx::AttributeProto* written = proto->add_attribute();
            written->set_name(attribute.name);
            written->set_type(::onnx::AttributeProto::INTS);
            for (const int64_t value : *values)
                written->add_ints(value);
        }
    }
    return model.SerializeAsString();
}

} // namespace lathe::testing
