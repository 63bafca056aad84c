// SPDX-License-Identifier: Apache-2.0
//
// Parsing of protobuf.
#include "frontend/onnx/read.h"

#include "base/limits.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/wire_format_lite.h>

namespace lathe::frontend::onnx {
namespace {

using google::protobuf::internal::WireFormatLite;

constexpr const char* damaged = "the file is damaged, cut off, or of another format; copy or export it again";

/// Bytes in pieces, with a checkpoint before each. No exception may pass through protobuf: it is kept, the input ends.
class CheckedInput final : public google::protobuf::io::ZeroCopyInputStream {
public:
    CheckedInput(std::span<const std::byte> bytes, const Budget& budget)
        : pieces_(bytes.data(), static_cast<int>(bytes.size()), 1 << 20), budget_(budget) {}
    bool Next(const void** data, int* size) override {
        if (stopped_)
            return false;
        try {
            budget_.checkpoint();
        } catch (...) {
            stopped_ = std::current_exception();
        }
        return !stopped_ && pieces_.Next(data, size);
    }
    void BackUp(int count) override { pieces_.BackUp(count); }
    bool Skip(int count) override { return pieces_.Skip(count); }
    int64_t ByteCount() const override { return pieces_.ByteCount(); }
    void rethrow() const {
        if (stopped_)
            std::rethrow_exception(stopped_);
    }

private:
    google::protobuf::io::ArrayInputStream pieces_;
    const Budget& budget_;
    std::exception_ptr stopped_;
};

bool parse(std::span<const std::byte> bytes, google::protobuf::MessageLite& message, const Budget& budget) {
    google::protobuf::LogSilencer silence;
    CheckedInput input(bytes, budget);
    bool whole = false;
    {
        google::protobuf::io::CodedInputStream stream(&input);
        stream.SetTotalBytesLimit(static_cast<int>(limits::protobufBytes));
        stream.SetRecursionLimit(4 * limits::blockNesting);
        whole = message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
    }
    input.rethrow();
    return whole;
}

/// Of the first field; 0, which no field has, if there is none.
uint32_t firstTag(std::span<const std::byte> bytes) {
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                  static_cast<int>(std::min<size_t>(bytes.size(), 16)));
    return stream.ReadTag();
}

} // namespace

bool mayBeModel(std::span<const std::byte> bytes) {
    using Model = ::onnx::ModelProto;
    const uint32_t tag = firstTag(bytes);
    switch (WireFormatLite::GetTagFieldNumber(tag)) {
    case Model::kIrVersionFieldNumber:
    case Model::kModelVersionFieldNumber:
        return WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_VARINT;
    case Model::kProducerNameFieldNumber:
    case Model::kProducerVersionFieldNumber:
    case Model::kDomainFieldNumber:
    case Model::kDocStringFieldNumber:
    case Model::kGraphFieldNumber:
    case Model::kOpsetImportFieldNumber:
    case Model::kMetadataPropsFieldNumber:
    case Model::kTrainingInfoFieldNumber:
    case Model::kFunctionsFieldNumber:
    case Model::kConfigurationFieldNumber:
        return WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    default:
        return false;
    }
}

bool mayBeTensor(std::span<const std::byte> bytes) {
    using Tensor = ::onnx::TensorProto;
    const uint32_t tag = firstTag(bytes);
    const WireFormatLite::WireType type = WireFormatLite::GetTagWireType(tag);
    const bool isLong = type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    switch (WireFormatLite::GetTagFieldNumber(tag)) {
    case Tensor::kDataTypeFieldNumber:
    case Tensor::kDataLocationFieldNumber:
        return type == WireFormatLite::WIRETYPE_VARINT;
    case Tensor::kDimsFieldNumber: // numbers may be packed or not
    case Tensor::kInt32DataFieldNumber:
    case Tensor::kInt64DataFieldNumber:
    case Tensor::kUint64DataFieldNumber:
        return isLong || type == WireFormatLite::WIRETYPE_VARINT;
    case Tensor::kFloatDataFieldNumber:
        return isLong || type == WireFormatLite::WIRETYPE_FIXED32;
    case Tensor::kDoubleDataFieldNumber:
        return isLong || type == WireFormatLite::WIRETYPE_FIXED64;
    case Tensor::kSegmentFieldNumber:
    case Tensor::kStringDataFieldNumber:
    case Tensor::kNameFieldNumber:
    case Tensor::kRawDataFieldNumber:
    case Tensor::kDocStringFieldNumber:
    case Tensor::kExternalDataFieldNumber:
    case Tensor::kMetadataPropsFieldNumber:
        return isLong;
    default:
        return false;
    }
}

Result<std::shared_ptr<::onnx::ModelProto>> readModel(std::span<const std::byte> bytes, const Budget& budget) {
    if (static_cast<int64_t>(bytes.size()) > limits::protobufBytes)
        return failure(fmt::format("the file has {} bytes, more than the limit of protobuf, {}", bytes.size(),
                                   limits::protobufBytes),
                       "store the weights as external data beside the model");
    auto model = std::make_shared<::onnx::ModelProto>();
    if (!parse(bytes, *model, budget))
        return failure("the file cannot be read as an ONNX model", damaged);
    if (!model->has_graph())
        return failure("the file holds no ONNX graph", damaged);
    return model;
}

Result<std::shared_ptr<::onnx::TensorProto>> readTensorProto(std::span<const std::byte> bytes) {
    if (static_cast<int64_t>(bytes.size()) > limits::protobufBytes)
        return failure("the tensor file is larger than protobuf can hold");
    auto tensor = std::make_shared<::onnx::TensorProto>();
    if (!parse(bytes, *tensor, Budget()) || !tensor->has_data_type())
        return failure("the file cannot be read as an ONNX tensor", "it must hold one TensorProto in binary form");
    return tensor;
}

namespace {

template <class Message>
Result<std::shared_ptr<Message>> readDataProto(std::span<const std::byte> bytes, std::string_view what) {
    if (static_cast<int64_t>(bytes.size()) > limits::protobufBytes)
        return failure(fmt::format("the file of {} is larger than protobuf can hold", what));
    auto message = std::make_shared<Message>();
    if (!parse(bytes, *message, Budget()))
        return failure(fmt::format("the file cannot be read as {}", what), damaged);
    return message;
}

} // namespace

Result<std::shared_ptr<::onnx::SequenceProto>> readSequenceProto(std::span<const std::byte> bytes) {
    return readDataProto<::onnx::SequenceProto>(bytes, "an ONNX sequence");
}

Result<std::shared_ptr<::onnx::OptionalProto>> readOptionalProto(std::span<const std::byte> bytes) {
    return readDataProto<::onnx::OptionalProto>(bytes, "an ONNX optional");
}

} // namespace lathe::frontend::onnx
