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

const Formal* formalOf(const ::onnx::OpSchema& schema, size_t input) {
    const auto& formals = schema.inputs();
    if (input < formals.size())
        return &formals[input];
    return !formals.empty() && formals.back().GetOption() == ::onnx::OpSchema::Variadic ? &formals.back() : nullptr;
}

std::string namesOf(const ::onnx::DataTypeSet& types) {
    std::vector<std::string> names;
    for (const std::string* type : types)
        names.push_back(*type);
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

std::optional<std::string> faultOfOperandTypes(const model::Node& node,
                                               const std::function<std::optional<DataType>(size_t)>& typeOf) {
    const ::onnx::OpSchema* schema = findSchema(node.domain, node.op, node.version);
    if (!schema)
        return std::nullopt;
    std::map<std::string, std::pair<size_t, DataType>> variables; // "T" -> the input that gave it its type
    for (size_t i = 0; i < node.inputs.size(); ++i) {
        const Formal* formal = formalOf(*schema, i);
        const std::optional<DataType> type = typeOf(i);
        if (!formal || !type)
            continue;
        model::ValueType value;
        value.kind = model::ValueType::Kind::Tensor;
        value.dtype = *type;
        ::onnx::TypeProto proto;
        writeType(value, proto);
        if (!formal->GetTypes().contains(::onnx::Utils::DataTypeUtils::ToType(proto)))
            return fmt::format("input {} ({}) is {}; the operator takes {}", i, formal->GetName(), toString(*type),
                               namesOf(formal->GetTypes()));
        if (formal->GetOption() == ::onnx::OpSchema::Variadic && !formal->GetIsHomogeneous())
            continue;
        const auto [it, fresh] = variables.emplace(formal->GetTypeStr(), std::pair(i, *type));
        if (!fresh && it->second.second != *type)
            return fmt::format("input {} ({}) is {}, input {} is {}; the operator takes one type for both", i,
                               formal->GetName(), toString(*type), it->second.first, toString(it->second.second));
    }
    return std::nullopt;
}

} // namespace lathe::frontend::onnx
