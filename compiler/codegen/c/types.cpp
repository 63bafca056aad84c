// SPDX-License-Identifier: Apache-2.0
#include "codegen/c/types.h"

#include "base/result.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace lathe::codegen {

std::string cStorage(DataType type) {
    switch (type.code) {
    case TypeCode::Bool:
        return "uint8_t";
    case TypeCode::Handle:
        return "void *";
    case TypeCode::Index:
        return "int64_t";
    case TypeCode::Float:
        if (type.bits >= 32)
            return type.bits == 32 ? "float" : "double";
        break;
    case TypeCode::Int:
        return fmt::format("int{}_t", type.bytes() * 8);
    case TypeCode::Void:
    case TypeCode::String:
        internalError(__FILE__, __LINE__, "numbers", "C source has no elements of " + toString(type));
    default:
        break;
    }
    return fmt::format("uint{}_t", type.bytes() * 8);
}

std::string cType(DataType type) {
    return type.isBool() ? "bool" : cStorage(type);
}

std::string cPointer(DataType type, bool isConst) {
    const std::string element = cStorage(type);
    return fmt::format("{}{}{}*", isConst ? "const " : "", element, element.ends_with('*') ? "" : " ");
}

std::string cWide(DataType type) {
    return fmt::format("{}{}", type.isSigned() ? "i" : "u", type.bits > 32 ? 64 : 32);
}

std::string cWideType(DataType type, bool isUnsigned) {
    return fmt::format("{}int{}_t", isUnsigned || !type.isSigned() ? "u" : "", type.bits > 32 ? 64 : 32);
}

std::string cInteger(int64_t value, DataType type) {
    if (type.isBool())
        return value != 0 ? "true" : "false";
    if (type.code == TypeCode::UInt || type.isFloat()) { // of a float without a type its bits
        if (type.bits == 64)
            return fmt::format("UINT64_C({})", static_cast<uint64_t>(value));
        const uint64_t bits = static_cast<uint64_t>(value) & ((uint64_t{1} << type.bits) - 1);
        return type.bits == 32 ? fmt::format("UINT32_C({})", bits) : fmt::format("{}", bits);
    }
    if (value == std::numeric_limits<int64_t>::min())
        return "INT64_MIN";
    if (value == std::numeric_limits<int32_t>::min())
        return type.bits == 64 ? "INT64_C(-2147483648)" : "INT32_MIN";
    if (value > std::numeric_limits<int16_t>::max() || value < -std::numeric_limits<int16_t>::max())
        return fmt::format("INT{}_C({})", type.bits == 64 ? 64 : 32, value);
    return fmt::format("{}", value);
}

std::string cFloat(double value, DataType type) {
    const bool isSingle = type.bits == 32;
    const char* cast = isSingle ? "(float)" : "(double)"; // the macros are floats, or wider than that
    if (std::isnan(value))
        return fmt::format("{}NAN", cast);
    if (std::isinf(value))
        return value < 0 ? fmt::format("-{}INFINITY", cast) : fmt::format("{}INFINITY", cast);
    std::string text = isSingle ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return isSingle ? text + "f" : text;
}

} // namespace lathe::codegen
