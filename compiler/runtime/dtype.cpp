// SPDX-License-Identifier: Apache-2.0
//
// One table relates the three: our code, DLPack's code, the name.
#include "runtime/dtype.h"

#include <cstdio>

namespace lathe::runtime {

namespace {

struct Row {
    TypeCode ours;
    DLDataTypeCode theirs;
    int32_t bits; // 0: any of the usual widths, which the name then has at its end
    const char* name;
};

constexpr Row rows[] = {
    {TypeCode::Bool, kDLBool, 8, "bool"},
    {TypeCode::Int, kDLInt, 0, "int"},
    {TypeCode::UInt, kDLUInt, 0, "uint"},
    {TypeCode::Float, kDLFloat, 0, "float"},
    {TypeCode::BFloat, kDLBfloat, 16, "bfloat16"},
    {TypeCode::Float8E4M3FN, kDLFloat8_e4m3fn, 8, "float8_e4m3fn"},
    {TypeCode::Float8E4M3FNUZ, kDLFloat8_e4m3fnuz, 8, "float8_e4m3fnuz"},
    {TypeCode::Float8E5M2, kDLFloat8_e5m2, 8, "float8_e5m2"},
    {TypeCode::Float8E5M2FNUZ, kDLFloat8_e5m2fnuz, 8, "float8_e5m2fnuz"},
    {TypeCode::Float8E8M0, kDLFloat8_e8m0fnu, 8, "float8_e8m0fnu"},
    {TypeCode::Float4E2M1, kDLFloat4_e2m1fn, 4, "float4_e2m1fn"},
};
constexpr DLDataType stringType = {kDLOpaqueHandle, 8 * sizeof(lathe_string), 1}; // which DLPack has not
constexpr int32_t handleBits = 64;

bool usualWidth(TypeCode code, int32_t bits) {
    if (bits == 16 || bits == 32 || bits == 64)
        return true;
    return code != TypeCode::Float && (bits == 2 || bits == 4 || bits == 8);
}

} // namespace

bool toDlpack(int32_t typeCode, int32_t bits, DLDataType& type) {
    if (typeCode == static_cast<int32_t>(TypeCode::String)) {
        type = stringType;
        return bits == handleBits;
    }
    for (const Row& row : rows) {
        if (static_cast<int32_t>(row.ours) != typeCode)
            continue;
        if (row.bits ? bits != row.bits : !usualWidth(row.ours, bits))
            return false;
        type = {static_cast<uint8_t>(row.theirs), static_cast<uint8_t>(bits), 1};
        return true;
    }
    return false;
}

TypeName nameOf(DLDataType type) {
    TypeName name;
    if (isString(type)) {
        std::snprintf(name.text, sizeof name.text, "string");
        return name;
    }
    for (const Row& row : rows) {
        if (row.theirs != type.code)
            continue;
        if (row.bits)
            std::snprintf(name.text, sizeof name.text, "%s", row.name);
        else
            std::snprintf(name.text, sizeof name.text, "%s%d", row.name, type.bits);
        return name;
    }
    std::snprintf(name.text, sizeof name.text, "DLPack type %d of %d bits", type.code, type.bits);
    return name;
}

} // namespace lathe::runtime
