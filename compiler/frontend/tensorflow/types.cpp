// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/types.h"

#include <tensorflow/core/framework/types.pb.h>

#include <fmt/format.h>

namespace lathe::frontend::tensorflow {

std::optional<DataType> fromProto(int dtype) {
    constexpr int firstReference = 100; // DT_FLOAT_REF and so on: the same type of a variable in place
    switch (dtype > firstReference ? dtype - firstReference : dtype) {
    case ::tensorflow::DT_FLOAT:
        return types::Float32;
    case ::tensorflow::DT_DOUBLE:
        return types::Float64;
    case ::tensorflow::DT_HALF:
        return types::Float16;
    case ::tensorflow::DT_BFLOAT16:
        return types::BFloat16;
    case ::tensorflow::DT_INT8:
    case ::tensorflow::DT_QINT8:
        return types::Int8;
    case ::tensorflow::DT_INT16:
    case ::tensorflow::DT_QINT16:
        return types::Int16;
    case ::tensorflow::DT_INT32:
    case ::tensorflow::DT_QINT32:
        return types::Int32;
    case ::tensorflow::DT_INT64:
        return types::Int64;
    case ::tensorflow::DT_UINT8:
    case ::tensorflow::DT_QUINT8:
        return types::UInt8;
    case ::tensorflow::DT_UINT16:
    case ::tensorflow::DT_QUINT16:
        return types::UInt16;
    case ::tensorflow::DT_UINT32:
        return types::UInt32;
    case ::tensorflow::DT_UINT64:
        return types::UInt64;
    case ::tensorflow::DT_BOOL:
        return types::Bool;
    case ::tensorflow::DT_STRING:
        return types::String;
    default:
        return std::nullopt;
    }
}

std::string protoTypeName(int dtype) {
    const std::string& name = ::tensorflow::DataType_Name(dtype);
    return name.empty() ? fmt::format("type {}", dtype) : name;
}

std::optional<DataType> fromTypeName(const std::string& name) {
    ::tensorflow::DataType dtype = ::tensorflow::DT_INVALID;
    return ::tensorflow::DataType_Parse(name, &dtype) ? fromProto(dtype) : std::nullopt;
}

} // namespace lathe::frontend::tensorflow
