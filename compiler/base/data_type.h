// SPDX-License-Identifier: Apache-2.0
//
// Element types, shared by every IR: a code, a width in bits, and lanes for vectors.
// `index` is a mathematical integer (64 bits until "narrow index types" gives it a width): shapes and loop variables.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lathe {

enum class TypeCode : uint8_t {
    Void,
    Bool,
    Int,
    UInt,
    Float, // 16, 32, 64
    BFloat,
    Float8E4M3FN,
    Float8E4M3FNUZ,
    Float8E5M2,
    Float8E5M2FNUZ,
    Float8E8M0,
    Float4E2M1,
    String, // an interned string's handle, which is equal for equal strings (abi/abi.h)
    Index,
    Handle, // an address
};

struct DataType {
    TypeCode code = TypeCode::Void;
    uint8_t bits = 0;
    uint16_t lanes = 1;

    auto operator<=>(const DataType&) const = default;

    constexpr bool isFloat() const { return code >= TypeCode::Float && code <= TypeCode::Float4E2M1; }
    constexpr bool isInt() const { return code == TypeCode::Int || code == TypeCode::UInt || code == TypeCode::Index; }
    constexpr bool isSigned() const { return code == TypeCode::Int || code == TypeCode::Index; }
    constexpr bool isBool() const { return code == TypeCode::Bool; }
    constexpr bool isIndex() const { return code == TypeCode::Index; }
    /// Bytes of one element as stored in a tensor; sub-byte types take one byte an element in Lathe's buffers.
    constexpr int bytes() const { return (bits + 7) / 8; }
    constexpr DataType scalar() const { return {code, bits, 1}; }
    constexpr DataType withLanes(int count) const { return {code, bits, static_cast<uint16_t>(count)}; }
};

namespace types {
inline constexpr DataType Void{};
inline constexpr DataType Bool{TypeCode::Bool, 8};
inline constexpr DataType Int8{TypeCode::Int, 8}, Int16{TypeCode::Int, 16}, Int32{TypeCode::Int, 32},
    Int64{TypeCode::Int, 64};
inline constexpr DataType Int4{TypeCode::Int, 4}, UInt4{TypeCode::UInt, 4}, Int2{TypeCode::Int, 2},
    UInt2{TypeCode::UInt, 2};
inline constexpr DataType UInt8{TypeCode::UInt, 8}, UInt16{TypeCode::UInt, 16}, UInt32{TypeCode::UInt, 32},
    UInt64{TypeCode::UInt, 64};
inline constexpr DataType Float16{TypeCode::Float, 16}, Float32{TypeCode::Float, 32}, Float64{TypeCode::Float, 64};
inline constexpr DataType BFloat16{TypeCode::BFloat, 16};
inline constexpr DataType Index{TypeCode::Index, 64};
inline constexpr DataType Handle{TypeCode::Handle, 64};
inline constexpr DataType String{TypeCode::String, 64};
} // namespace types

/// What an operator on such elements computes in, so that it rounds once: floats below 32 bits in float32, everything else in
/// its own type.
constexpr DataType computeType(DataType dtype) {
    return dtype.isFloat() && dtype.bits < 32 ? types::Float32 : dtype;
}

/// "float32", "int64", "bool", "bfloat16", "float8_e4m3fn", "float4_e2m1", "index", "handle", "float32x8" …
std::string toString(DataType type);
/// The reverse of toString; nothing for an unknown name.
std::optional<DataType> parseDataType(std::string_view text);

} // namespace lathe
