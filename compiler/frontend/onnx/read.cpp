// SPDX-License-Identifier: Apache-2.0
//
// Mapping of files and parsing of protobuf, with guesses at what a file is that does not parse.
#include "frontend/onnx/read.h"

#include "base/limits.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::frontend::onnx {
namespace {

struct Mapping {
    void* address = nullptr;
    size_t size = 0;
    Mapping(void* at, size_t count) : address(at), size(count) {}
    Mapping(const Mapping&) = delete;
    ~Mapping() {
        if (size > 0)
            munmap(address, size);
    }
};

struct Descriptor {
    int number = -1;
    ~Descriptor() {
        if (number >= 0)
            close(number);
    }
};

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

Result<model::Bytes> mapFile(const std::filesystem::path& path, int64_t limit) {
    // Not blocking: opening a pipe must not wait for its writer.
    const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.number < 0)
        return failure(fmt::format("the file cannot be opened: {}", std::strerror(errno)),
                       "check the path and its permissions");
    struct stat status{};
    if (fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode))
        return failure("this is not a regular file", "name the model file itself");
    if (status.st_size > limit)
        return failure(fmt::format("the file has {} bytes, more than the limit of {}", status.st_size, limit),
                       "store the weights as external data beside the model");
    const auto size = static_cast<size_t>(status.st_size);
    if (size == 0)
        return model::Bytes{};
    void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (address == MAP_FAILED)
        return failure(fmt::format("the file cannot be mapped: {}", std::strerror(errno)), "free some memory");
    auto mapping = std::make_shared<Mapping>(address, size);
    return model::Bytes{mapping, {static_cast<const std::byte*>(address), size}};
}

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
