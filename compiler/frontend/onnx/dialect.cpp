// SPDX-License-Identifier: Apache-2.0
#include "frontend/onnx/dialect.h"

#include "base/near_name.h"
#include "frontend/added_operators.h"
#include "frontend/onnx/attributes.h"
#include "frontend/onnx/operand_types.h"
#include "frontend/onnx/ops.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {
namespace {

/// Of operands, as far as known.
std::vector<model::ValueType> typesOf(Builder& b, const std::vector<Value>& operands) {
    std::vector<model::ValueType> types;
    for (const Value& value : operands) {
        model::ValueType& type = types.emplace_back();
        if (!value.var || !b.isTensor(value.var))
            continue;
        type.kind = model::ValueType::Kind::Tensor;
        type.dtype = b.dtype(value.var);
        type.hasShape = true;
        for (const Expr& dim : b.shape(value.var))
            type.shape.push_back({arith::asInt(dim).value_or(-1), {}});
    }
    return types;
}

} // namespace

ConvertFn OnnxDialect::converterOf(const model::Node& node) const {
    return findConverter(node, reader_.added());
}

std::optional<Diagnostic> OnnxDialect::refusalOf(const model::Node& node) const {
    if (findConverter(node, reader_.added()) || GraphReader::hasBody(node) || findBody(reader_.added(), node))
        return std::nullopt;
    const auto unsupported = [](std::string what) {
        return error(ErrorKind::Unsupported, std::move(what), "replace the node when exporting the model");
    };
    if (const OffRow* off = findOff(reader_.added(), node))
        return unsupported(
            fmt::format("operator {} of domain {} is in plugin {}, which is off; leave out --without-plugin {}",
                        node.op, node.domain, off->plugin, off->plugin));
    if (node.domain == "com.microsoft")
        return unsupported(fmt::format(
            "operator {} of domain com.microsoft is an extension of ONNX Runtime and is not supported", node.op));
    if (node.domain == "ai.onnx.ml" && (node.op == "DictVectorizer" || node.op == "CastMap"))
        return error(
            ErrorKind::Unsupported,
            fmt::format("operator {} of domain ai.onnx.ml takes maps, which no value of a compiled model is", node.op),
            "let the model take a tensor");
    if (node.domain == "ai.onnx.preview.training")
        return unsupported(fmt::format("operator {} trains a model; Lathe compiles models for inference", node.op));
    if (findSchema(node.domain, node.op, newestOpset()))
        return unsupported(
            fmt::format("operator {} of domain {} is not supported in version {}", node.op, node.domain, node.version));
    if (node.domain != standardDomain && node.domain != "ai.onnx.ml")
        return unsupported(fmt::format("operator {} of domain '{}' is unknown: neither ONNX nor the model defines it",
                                       node.op, node.domain));
    if (node.version > newestOpset(node.domain))
        return unsupported(fmt::format("operator {} of domain {} is not known: version {} of the domain is newer than "
                                       "{}, the newest that is",
                                       node.op, node.domain, node.version, newestOpset(node.domain)));
    return error(fmt::format("domain {} has no operator {}{}", node.domain, node.op,
                             nearName(node.op, operatorsOf(node.domain))),
                 "correct the operator's name or its domain, or replace the node when exporting the model");
}

void OnnxDialect::checked(NodeReader& reader, const std::function<void()>& convert) const {
    const model::Node& node = reader.node;
    Builder& b = reader.b;
    const auto tensorType = [&](Var var) {
        return var && b.isTensor(var) ? std::optional(b.dtype(var)) : std::nullopt;
    };
    const auto typeOf = [&](size_t i) -> std::optional<DataType> {
        const Value* value = reader.hasInput(i) ? reader.scope.find(node.inputs[i]) : nullptr;
        return tensorType(value ? value->var : Var{});
    };
    OperandTypes operandTypes(node);
    if (std::optional<std::string> fault = operandTypes.faultOfOperands(typeOf))
        return b.fail(*std::move(fault), "the model is malformed; export it again");
    if (const OperatorRow* row = findOperator(reader_.added(), node);
        row && row->convert == findConverter(node, reader_.added()))
        reader_.notePlugin(row->plugin);
    convert();
    if (findConverter(node, reader_.added()) && !findSchema(node.domain, node.op, node.version))
        for (const std::string& name : reader.unread())
            if (!mayBeUnknown(name))
                b.fail(fmt::format("attribute '{}' is unknown to the operator", name), "remove the attribute");
    if (b.failed())
        return;
    const auto typeOfResult = [&](size_t i) { return tensorType(reader.results[i] ? reader.results[i]->var : Var{}); };
    if (std::optional<std::string> fault = operandTypes.faultOfResults(typeOfResult))
        b.fail(*std::move(fault), "correct the attributes that say the type, or export the model again");
}

Result<std::shared_ptr<model::Graph>> OnnxDialect::bodyOf(NodeReader& node, std::vector<Value>& operands) {
    fitBodyOperands(node, node.b, operands);
    if (node.failed())
        return std::shared_ptr<model::Graph>();
    return reader_.expandBody(node.node, typesOf(node.b, operands));
}

std::optional<Branches> OnnxDialect::branchesOf(const model::Node& node) const {
    if (node.op != "If" || node.domain != standardDomain)
        return std::nullopt;
    return Branches{"then_branch", "else_branch"};
}

} // namespace lathe::frontend::onnx
