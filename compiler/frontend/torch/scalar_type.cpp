// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/scalar_type.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace lathe::frontend::torch {
namespace {

struct Known {
    int64_t number;
    std::string_view name;
    DataType dtype;
    bool isComplex;
};

constexpr auto knownTypes = std::to_array<Known>({
    {1, "uint8", types::UInt8, false},
    {2, "int8", types::Int8, false},
    {3, "int16", types::Int16, false},
    {4, "int32", types::Int32, false},
    {5, "int64", types::Int64, false},
    {6, "float16", types::Float16, false},
    {7, "float32", types::Float32, false},
    {8, "float64", types::Float64, false},
    {9, "complex32", types::Float16, true},
    {10, "complex64", types::Float32, true},
    {11, "complex128", types::Float64, true},
    {12, "bool", types::Bool, false},
    {13, "bfloat16", types::BFloat16, false},
    {28, "uint16", types::UInt16, false},
    {29, "float8_e4m3fn", {TypeCode::Float8E4M3FN, 8}, false},
    {30, "float8_e5m2", {TypeCode::Float8E5M2, 8}, false},
    {31, "float8_e4m3fnuz", {TypeCode::Float8E4M3FNUZ, 8}, false},
    {32, "float8_e5m2fnuz", {TypeCode::Float8E5M2FNUZ, 8}, false},
});

std::string nameOfNumber(std::span<const std::string_view> names, int64_t number) {
    return number >= 0 && number < std::ssize(names) ? std::string(names[static_cast<size_t>(number)]) : std::string();
}

} // namespace

std::optional<ScalarType> scalarTypeOf(int64_t number) {
    const auto* found = std::ranges::find(knownTypes, number, &Known::number);
    if (found == knownTypes.end())
        return std::nullopt;
    return ScalarType{std::string(found->name), found->dtype, found->isComplex};
}

namespace {

struct Code {
    int64_t number;
    DataType dtype;
};
/// c10::ScalarType
constexpr auto codes = std::to_array<Code>({
    {0, types::UInt8},
    {1, types::Int8},
    {2, types::Int16},
    {3, types::Int32},
    {4, types::Int64},
    {5, types::Float16},
    {6, types::Float32},
    {7, types::Float64},
    {11, types::Bool},
    {15, types::BFloat16},
    {23, {TypeCode::Float8E5M2, 8}},
    {24, {TypeCode::Float8E4M3FN, 8}},
    {27, types::UInt16},
    {28, types::UInt32},
    {29, types::UInt64},
});

} // namespace

std::optional<DataType> typeOfCode(int64_t number) {
    const auto* found = std::ranges::find(codes, number, &Code::number);
    return found == codes.end() ? std::nullopt : std::optional(found->dtype);
}

std::optional<int64_t> codeOfType(DataType dtype) {
    const auto* found = std::ranges::find(codes, dtype, &Code::dtype);
    return found == codes.end() ? std::nullopt : std::optional(found->number);
}

std::string memoryFormatOf(int64_t number) {
    static constexpr auto names = std::to_array<std::string_view>(
        {"", "contiguous_format", "channels_last", "channels_last_3d", "preserve_format"});
    return nameOfNumber(names, number);
}

std::string layoutOf(int64_t number) {
    static constexpr auto names = std::to_array<std::string_view>(
        {"", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "mkldnn", "strided"});
    return nameOfNumber(names, number);
}

} // namespace lathe::frontend::torch
