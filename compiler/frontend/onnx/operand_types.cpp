// SPDX-License-Identifier: Apache-2.0
#include "frontend/onnx/operand_types.h"

#include "frontend/onnx/graph_reader.h"
#include "frontend/onnx/value_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <onnx/defs/data_type_utils.h>
#include <onnx/defs/schema.h>

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

/// Which operand or result gave a type variable its type: "T" -> "input 0 (X)", float32.
using Variables = std::map<std::string, std::pair<std::string, DataType>>;

/// What is wrong with one side of the operator. side: "input", "output"; does: what the operator does with them.
std::optional<std::string> faultOf(const std::vector<Formal>& formals, size_t count, const TypeOf& typeOf,
                                   const char* side, const char* does, Variables& variables) {
    for (size_t i = 0; i < count; ++i) {
        const Formal* formal = formalOf(formals, i);
        const std::optional<DataType> type = typeOf(i);
        if (!formal || !type)
            continue;
        model::ValueType value;
        value.kind = model::ValueType::Kind::Tensor;
        value.dtype = *type;
        ::onnx::TypeProto proto;
        writeType(value, proto);
        const std::string name = fmt::format("{} {} ({})", side, i, formal->GetName());
        if (!formal->GetTypes().contains(::onnx::Utils::DataTypeUtils::ToType(proto)))
            return fmt::format("{} is {}; the operator {} {}", name, toString(*type), does,
                               namesOf(formal->GetTypes()));
        if (formal->GetOption() == ::onnx::OpSchema::Variadic && !formal->GetIsHomogeneous())
            continue;
        const auto [it, fresh] = variables.emplace(formal->GetTypeStr(), std::pair(name, *type));
        if (!fresh && it->second.second != *type)
            return fmt::format("{} is {}, {} is {}; the operator takes one type for both", name, toString(*type),
                               it->second.first, toString(it->second.second));
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> faultOfOperandTypes(const model::Node& node, const TypeOf& typeOfInput) {
    const ::onnx::OpSchema* schema = findSchema(node.domain, node.op, node.version);
    Variables variables;
    return schema ? faultOf(schema->inputs(), node.inputs.size(), typeOfInput, "input", "takes", variables)
                  : std::nullopt;
}

std::optional<std::string> faultOfResultTypes(const model::Node& node, const TypeOf& typeOfInput,
                                              const TypeOf& typeOfOutput) {
    // A constant is data: its own type tells how to read it. Exporters wrote integers before the standard said so.
    if (node.inputs.empty())
        return std::nullopt;
    const ::onnx::OpSchema* schema = findSchema(node.domain, node.op, node.version);
    Variables variables;
    if (!schema || faultOf(schema->inputs(), node.inputs.size(), typeOfInput, "input", "takes", variables))
        return std::nullopt;
    return faultOf(schema->outputs(), node.outputs.size(), typeOfOutput, "output", "gives", variables);
}

} // namespace lathe::frontend::onnx
