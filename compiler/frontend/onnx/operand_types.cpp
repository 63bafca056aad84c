// SPDX-License-Identifier: Apache-2.0
#include "frontend/onnx/operand_types.h"

#include "frontend/onnx/graph_reader.h"
#include "frontend/onnx/value_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/defs/data_type_utils.h>

namespace lathe::frontend::onnx {
namespace {

using Formal = ::onnx::OpSchema::FormalParameter;

const Formal* formalOf(const std::vector<Formal>& formals, size_t i) {
    if (i < formals.size())
        return &formals[i];
    return !formals.empty() && formals.back().GetOption() == ::onnx::OpSchema::Variadic ? &formals.back() : nullptr;
}

std::string namesOf(const ::onnx::DataTypeSet& types) {
    std::vector<std::string> names;
    for (const std::string* type : types)
        names.push_back(*type);
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, ", "));
}

/// An optional is resolved while importing: what it holds stands for it. So do the values of maps whose keys are known.
bool takes(const Formal& formal, const model::ValueType& value) {
    using ::onnx::Utils::DataTypeUtils;
    ::onnx::TypeProto proto;
    writeType(value, proto);
    const ::onnx::DataType type = DataTypeUtils::ToType(proto);
    const ::onnx::DataTypeSet& types = formal.GetTypes();
    for (const char* form : {"{}", "optional({})", "seq(map(int64,{}))", "seq(map(string,{}))"})
        if (types.contains(DataTypeUtils::ToType(fmt::format(fmt::runtime(form), *type))))
            return true;
    return false;
}

} // namespace

OperandTypes::OperandTypes(const model::Node& node)
    : node_(node), schema_(findSchema(node.domain, node.op, node.version)) {}

std::optional<std::string> OperandTypes::faultOf(const Formals& formals, size_t count, const TypeOf& typeOf,
                                                 const char* side, const char* does) {
    for (size_t i = 0; i < count; ++i) {
        const Formal* formal = formalOf(formals, i);
        const std::optional<DataType> type = typeOf(i);
        if (!formal || !type)
            continue;
        model::ValueType value;
        value.kind = model::ValueType::Kind::Tensor;
        value.dtype = *type;
        const std::string name = fmt::format("{} {} ({})", side, i, formal->GetName());
        if (!takes(*formal, value))
            return fmt::format("{} is {}; the operator {} {}", name, toString(*type), does,
                               namesOf(formal->GetTypes()));
        if (formal->GetOption() == ::onnx::OpSchema::Variadic && !formal->GetIsHomogeneous())
            continue;
        const auto [it, fresh] = variables_.emplace(formal->GetTypeStr(), std::pair(name, *type));
        if (!fresh && it->second.second != *type)
            return fmt::format("{} is {}, {} is {}; the operator takes one type for both", name, toString(*type),
                               it->second.first, toString(it->second.second));
    }
    return std::nullopt;
}

std::optional<std::string> OperandTypes::faultOfOperands(const TypeOf& typeOfInput) {
    return schema_ ? faultOf(schema_->inputs(), node_.inputs.size(), typeOfInput, "input", "takes") : std::nullopt;
}

std::optional<std::string> OperandTypes::faultOfResults(const TypeOf& typeOfOutput) {
    // A constant is data: its own type tells how to read it. Exporters wrote integers before the standard said so.
    const bool isConstant = node_.op == "Constant" && node_.domain == standardDomain;
    return schema_ && !isConstant ? faultOf(schema_->outputs(), node_.outputs.size(), typeOfOutput, "output", "gives")
                                  : std::nullopt;
}

} // namespace lathe::frontend::onnx
