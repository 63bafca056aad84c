// SPDX-License-Identifier: Apache-2.0
//
// Parsing of protobuf, with guesses at what a file is that does not parse.
#include "frontend/onnx/read.h"

#include "base/limits.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

#include <string_view>

namespace lathe::frontend::onnx {
namespace {

/// What a file that is no ONNX model seems to be, by its first bytes.
std::string guessFormat(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.size() >= 8 && text.substr(4, 4) == "TFL3")
        return "this is a TFLite model, and Lathe imports ONNX";
    if (text.starts_with("PK\x03\x04"))
        return "this is a ZIP archive (perhaps a TorchScript or PyTorch file); export the model to ONNX";
    if (text.starts_with("\x89HDF"))
        return "this is an HDF5 file (perhaps Keras); export the model to ONNX";
    if (text.starts_with("version https://git-lfs"))
        return "this is a Git LFS pointer, not the model; fetch the file with git lfs pull";
    if (text.starts_with("{") || text.starts_with("<") || text.starts_with("#"))
        return "this is a text file; Lathe reads ONNX models in binary protobuf form";
    return "the file is damaged, cut off, or of another format; copy or export it again";
}

bool parse(std::span<const std::byte> bytes, google::protobuf::MessageLite& message) {
    google::protobuf::LogSilencer silence;
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    stream.SetTotalBytesLimit(static_cast<int>(limits::protobufBytes));
    stream.SetRecursionLimit(4 * limits::blockNesting);
    return message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

} // namespace

Result<std::shared_ptr<::onnx::ModelProto>> readModel(std::span<const std::byte> bytes) {
    if (bytes.empty())
        return failure("the file is empty", "copy or export the model again");
    if (static_cast<int64_t>(bytes.size()) > limits::protobufBytes)
        return failure(fmt::format("the model has {} bytes, more than the {} that protobuf can hold", bytes.size(),
                                   limits::protobufBytes),
                       "store the weights as external data beside the model");
    auto model = std::make_shared<::onnx::ModelProto>();
    if (!parse(bytes, *model))
        return failure("the file cannot be read as an ONNX model", guessFormat(bytes));
    if (!model->has_graph())
        return failure("the file holds no ONNX graph", guessFormat(bytes));
    return model;
}

Result<std::shared_ptr<::onnx::TensorProto>> readTensorProto(std::span<const std::byte> bytes) {
    if (static_cast<int64_t>(bytes.size()) > limits::protobufBytes)
        return failure("the tensor file is larger than protobuf can hold");
    auto tensor = std::make_shared<::onnx::TensorProto>();
    if (!parse(bytes, *tensor) || !tensor->has_data_type())
        return failure("the file cannot be read as an ONNX tensor", "it must hold one TensorProto in binary form");
    return tensor;
}

} // namespace lathe::frontend::onnx
