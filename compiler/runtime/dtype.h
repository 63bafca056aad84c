// SPDX-License-Identifier: Apache-2.0
//
// Element types of the tables (codes of lathe::TypeCode) and of DLPack.
#pragma once

#include "runtime/lathe_rt.h"

#include <cstdint>

namespace lathe::runtime {

/// The codes that lathe_value_desc::type_code may have: those of lathe::TypeCode, in its order.
enum class TypeCode : int32_t {
    Void,
    Bool,
    Int,
    UInt,
    Float,
    BFloat,
    Float8E4M3FN,
    Float8E4M3FNUZ,
    Float8E5M2,
    Float8E5M2FNUZ,
    Float8E8M0,
    Float4E2M1,
    String,
};

/// False if DLPack has no such type. Strings are those of lathe_rt.h.
bool toDlpack(int32_t typeCode, int32_t bits, DLDataType& type);
inline bool isString(DLDataType type) {
    return type.code == kDLOpaqueHandle && type.bits == 8 * sizeof(lathe_string);
}
/// Bytes of one element in a tensor of the interface.
inline int64_t elementBytes(DLDataType type) {
    return (int64_t{type.bits} + 7) / 8;
}
/// Bytes of one element as generated code has it: of a string its handle.
inline int64_t storedBytes(DLDataType type) {
    return isString(type) ? int64_t{sizeof(uint64_t)} : elementBytes(type);
}
inline bool sameType(DLDataType a, DLDataType b) {
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
/// "float32", "bool" … in at most 32 characters, for messages.
struct TypeName {
    char text[32];
};
TypeName nameOf(DLDataType type);

} // namespace lathe::runtime
