// SPDX-License-Identifier: Apache-2.0
//
// Names of element types: one table serves printing and parsing.
#include "base/data_type.h"

#include "base/limits.h"

#include <charconv>
#include <fmt/format.h>

namespace lathe {
namespace {

struct Name {
    std::string_view text;
    DataType type;
};

constexpr Name names[] = {
    {"void", types::Void},
    {"bool", types::Bool},
    {"int2", types::Int2},
    {"int4", types::Int4},
    {"int8", types::Int8},
    {"int16", types::Int16},
    {"int32", types::Int32},
    {"int64", types::Int64},
    {"uint2", types::UInt2},
    {"uint4", types::UInt4},
    {"uint8", types::UInt8},
    {"uint16", types::UInt16},
    {"uint32", types::UInt32},
    {"uint64", types::UInt64},
    {"float16", types::Float16},
    {"float32", types::Float32},
    {"float64", types::Float64},
    {"bfloat16", types::BFloat16},
    {"float8_e4m3fnuz", {TypeCode::Float8E4M3FNUZ, 8}},
    {"float8_e4m3fn", {TypeCode::Float8E4M3FN, 8}},
    {"float8_e5m2fnuz", {TypeCode::Float8E5M2FNUZ, 8}},
    {"float8_e5m2", {TypeCode::Float8E5M2, 8}},
    {"float8_e8m0", {TypeCode::Float8E8M0, 8}},
    {"float4_e2m1", {TypeCode::Float4E2M1, 4}},
    {"string", types::String},
    {"index", types::Index},
    {"handle", types::Handle},
};

} // namespace

std::string toString(DataType type) {
    for (const Name& name : names)
        if (name.type == type.scalar())
            return type.lanes == 1 ? std::string(name.text) : fmt::format("{}x{}", name.text, type.lanes);
    return fmt::format("type{}_{}x{}", static_cast<int>(type.code), type.bits, type.lanes);
}

std::optional<DataType> parseDataType(std::string_view text) {
    for (const Name& name : names) {
        if (text == name.text)
            return name.type;
        if (text.size() > name.text.size() + 1 && text.starts_with(name.text) && text[name.text.size()] == 'x') {
            std::string_view digits = text.substr(name.text.size() + 1);
            int lanes = 0;
            auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), lanes);
            if (status == std::errc() && end == digits.data() + digits.size() && lanes > 1 &&
                lanes <= limits::vectorLanes)
                return name.type.withLanes(lanes);
        }
    }
    return std::nullopt;
}

} // namespace lathe
