// SPDX-License-Identifier: Apache-2.0
//
// TensorProto to TensorData: raw bytes are shared, not copied; typed fields, packed narrow types and external data give
// the same form. Counts and sizes are checked before anything is allocated or read.
#pragma once

#include "frontend/common/map_file.h"
#include "frontend/onnx/read.h"

#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>

namespace lathe::frontend::onnx {

/// Lathe's type of a TensorProto::DataType; nothing for complex, float6 and unknown numbers.
std::optional<DataType> fromProto(int64_t dtype);
/// The reverse; nothing for types that ONNX does not have.
std::optional<int32_t> toProto(DataType dtype);
/// "COMPLEX64" or "type 99", for messages.
std::string protoTypeName(int32_t dtype);

/// Reads tensors of one model; keeps files of external data mapped.
class TensorReader {
public:
    /// owner keeps the protobuf alive that tensors point into. folders: where external data may lie; names count from the first.
    TensorReader(std::shared_ptr<const void> owner, std::vector<std::filesystem::path> folders,
                 std::shared_ptr<Budget> budget);
    /// Each message is read once: a function's body may be put in place of a million calls.
    Result<model::TensorPtr> read(const ::onnx::TensorProto& proto);
    /// A sparse tensor in coordinate form, made dense: its bytes are taken from the budget.
    Result<model::TensorPtr> readSparse(const ::onnx::SparseTensorProto& proto);
    /// The files of external data that were read so far.
    FileIdentities files() const;

private:
    Result<model::TensorPtr> make(const ::onnx::TensorProto& proto);
    Result<model::TensorPtr> makeDense(const ::onnx::SparseTensorProto& proto);
    Result<model::Bytes> external(const ::onnx::TensorProto& proto, int64_t expected);
    Result<std::filesystem::path> fileAt(const std::string& location) const;

    std::shared_ptr<const void> owner_;
    std::vector<std::filesystem::path> folders_;
    std::shared_ptr<Budget> budget_;
    std::map<std::filesystem::path, MappedFile> files_;
    std::unordered_map<const void*, Result<model::TensorPtr>> read_; // by message
};

} // namespace lathe::frontend::onnx
