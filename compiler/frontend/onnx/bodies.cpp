// SPDX-License-Identifier: Apache-2.0
//
// Schemas at work: nodes are held against them, and operators that ONNX defines by other operators are expanded.
#include "frontend/common/topology.h"
#include "frontend/onnx/attributes.h"
#include "frontend/onnx/body_text.h"
#include "frontend/onnx/frame.h"
#include "frontend/onnx/value_types.h"

#include <onnx/defs/schema.h>

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::onnx {
namespace {

using ::onnx::OpSchema;

/// Of the versions from an operator's own to the newest, the first for which it has a body.
int bodyVersion(const OpSchema& schema) {
    for (int version = schema.SinceVersion(); version <= static_cast<int>(newestOpset()); ++version) {
        if (schema.HasContextDependentFunctionWithOpsetVersion(version))
            return version;
        const std::vector<int> fixed = schema.function_opset_versions();
        if (std::find(fixed.begin(), fixed.end(), version) != fixed.end())
            return version;
    }
    return 0;
}

/// The body as FunctionProto. ONNX checks it while it builds it and throws for what does not fit.
Result<std::shared_ptr<::onnx::FunctionProto>> buildBody(const OpSchema& schema, int version,
                                                         const ::onnx::NodeProto& call,
                                                         const std::vector<model::ValueType>& inputs) {
    const Failure none = failure("the operator has no body for these types and attributes",
                                 "it is defined by a body only for some of them, and has no converter of its own");
    std::vector<::onnx::TypeProto> types(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i)
        writeType(inputs[i], types[i]);
    auto body = std::make_shared<::onnx::FunctionProto>();
    try {
        if (schema.HasContextDependentFunctionWithOpsetVersion(version)) {
            const ::onnx::FunctionBodyBuildContextImpl context(call, types);
            if (!schema.BuildContextDependentFunction(context, *body, version))
                return none;
            return body;
        }
        const ::onnx::FunctionProto* fixed = schema.GetFunction(version, true);
        if (!fixed)
            return none;
        *body = *fixed;
        return body;
    } catch (const std::exception& problem) {
        return failure(fmt::format("the operator's body cannot be built: {}", problem.what()), {});
    }
}

} // namespace

void GraphReader::checkAgainstSchema(const model::Node& node, const OpSchema& schema) {
    const auto inputs = static_cast<int>(node.inputs.size()), outputs = static_cast<int>(node.outputs.size());
    if (inputs < schema.min_input() || inputs > schema.max_input())
        report(&node,
               fmt::format("the node has {} inputs; the operator takes {} to {}", inputs, schema.min_input(),
                           schema.max_input()),
               "the model is malformed; export it again");
    if (outputs > schema.max_output())
        report(&node,
               fmt::format("the node has {} outputs; the operator gives at most {}", outputs, schema.max_output()),
               "the model is malformed; export it again");
    for (const Diagnostic& fault : faultsOfAttributes(node, schema))
        report(&node, fault);
}

bool GraphReader::hasBody(const model::Node& call) {
    const OpSchema* schema = findSchema(call.domain, call.op, call.version);
    return schema && bodyVersion(*schema) > 0;
}

Result<std::shared_ptr<model::Graph>> GraphReader::expandBody(const model::Node& call,
                                                              const std::vector<model::ValueType>& inputs) {
    const OpSchema* schema = findSchema(call.domain, call.op, call.version);
    const int version = schema ? bodyVersion(*schema) : 0;
    const BodyRow* const row = version == 0 ? findBody(added(), call) : nullptr;
    if (version == 0 && !row)
        return std::shared_ptr<model::Graph>();
    ::onnx::NodeProto node;
    node.set_op_type(call.op);
    node.set_domain(schema ? schema->domain() : call.domain); // bodies are built by the registry's name for it
    node.set_name(call.name);
    for (const std::string& name : call.inputs)
        node.add_input(name);
    for (const std::string& name : call.outputs)
        node.add_output(name);
    for (const model::Attribute& attribute : call.attributes)
        if (!writeAttribute(attribute, *node.add_attribute()))
            return failure(fmt::format("attribute '{}' cannot be taken over into the operator's body", attribute.name),
                           "graphs as attributes of this operator are not supported");

    std::shared_ptr<::onnx::FunctionProto> body;
    if (row) {
        notePlugin(row->plugin);
        LATHE_TRY(body, bodyOf(*row));
        LATHE_CHECKED(checkCall(node, *body, row->plugin));
    } else {
        LATHE_TRY(body, buildBody(*schema, version, node, inputs));
    }

    Frame frame;
    if (row)
        for (const ::onnx::AttributeProto& attribute : body->attribute_proto())
            frame.attributes[attribute.name()] = {&attribute, &frame};
    else
        for (const auto& [name, attribute] : schema->attributes())
            if (attribute.default_value.type() != ::onnx::AttributeProto::UNDEFINED)
                frame.attributes[name] = {&attribute.default_value, &frame};
    for (const ::onnx::AttributeProto& attribute : node.attribute())
        frame.attributes[attribute.name()] = {&attribute, &frame};
    return readBody(body, frame, call);
}

Result<std::shared_ptr<model::Graph>> GraphReader::readBody(const std::shared_ptr<const ::onnx::FunctionProto>& body,
                                                            Frame& frame, const model::Node& call) {
    frame.fixedId = call.id;
    frame.scope = call.scope;
    frame.scope.push_back(call.op);
    for (const ::onnx::OperatorSetIdProto& opset : body->opset_import())
        frame.opsets[canonicalDomain(opset.domain())] = opset.version();
    for (int i = 0; i < body->input_size(); ++i)
        if (static_cast<size_t>(i) >= call.inputs.size() || call.inputs[static_cast<size_t>(i)].empty())
            frame.actual[body->input(i)] = ""; // absent in the call: absent where the body reads it

    TensorReader tensors(body, {}, budget_);
    reading_ = &tensors;
    const size_t before = model_->diagnostics.size();
    auto graph = std::make_shared<model::Graph>();
    graph->name = call.op;
    for (const std::string& name : body->input())
        graph->inputs.push_back({name, {}});
    for (const std::string& name : body->output())
        graph->outputs.push_back({name, {}});
    readNodes(body->node(), frame, *graph);
    if (!overLimit_)
        sortNodes(*graph, reportTo(*model_));
    reading_ = &tensors_;
    if (model_->diagnostics.size() > before) {
        Diagnostic problem = model_->diagnostics[before];
        model_->diagnostics.resize(before);
        return std::unexpected(std::move(problem));
    }
    return graph;
}

} // namespace lathe::frontend::onnx
