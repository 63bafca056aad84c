// SPDX-License-Identifier: Apache-2.0
//
// Element types, shapes and places in which a file keeps elements. What stored integers stand for: quantization.cpp.
#include "frontend/tflite/tensors.h"

#include "base/limits.h"
#include "frontend/tflite/schema_generated.h"
#include "frontend/tflite/sparse.h"
#include "model/host_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace lathe::frontend::tflite {
namespace {

constexpr const char* convertAgain = "the file is damaged or was written wrongly; convert the model again";
// All that is copied out of a file, against its size: unpacking makes four of one, and elements may be of several
// types.
constexpr size_t copiesOfFile = 8;

struct TensorTypeRow {
    ::tflite::TensorType code;
    DataType dtype;
};
constexpr auto tensorTypes = std::to_array<TensorTypeRow>({
    {::tflite::TensorType_FLOAT32, types::Float32},
    {::tflite::TensorType_FLOAT16, types::Float16},
    {::tflite::TensorType_INT32, types::Int32},
    {::tflite::TensorType_UINT8, types::UInt8},
    {::tflite::TensorType_INT64, types::Int64},
    {::tflite::TensorType_STRING, types::String},
    {::tflite::TensorType_BOOL, types::Bool},
    {::tflite::TensorType_INT16, types::Int16},
    {::tflite::TensorType_INT8, types::Int8},
    {::tflite::TensorType_FLOAT64, types::Float64},
    {::tflite::TensorType_UINT64, types::UInt64},
    {::tflite::TensorType_UINT32, types::UInt32},
    {::tflite::TensorType_UINT16, types::UInt16},
    {::tflite::TensorType_INT4, types::Int4},
    {::tflite::TensorType_BFLOAT16, types::BFloat16},
    {::tflite::TensorType_INT2, types::Int2},
    {::tflite::TensorType_UINT4, types::UInt4},
    {::tflite::TensorType_FLOAT8_E4M3FN, {TypeCode::Float8E4M3FN, 8}},
    {::tflite::TensorType_FLOAT8_E5M2, {TypeCode::Float8E5M2, 8}},
});

/// Owned bytes; operator new aligns them for every element type.
std::pair<model::Bytes, std::byte*> allocateBytes(size_t size) {
    const std::shared_ptr<std::byte[]> memory(new std::byte[std::max<size_t>(size, 1)]());
    return {model::Bytes{memory, {memory.get(), size}}, memory.get()};
}

/// One element a byte, the first in the low bits; signed ones sign-extended.
model::Bytes unpackNarrow(std::span<const std::byte> packed, DataType dtype, int64_t elements) {
    auto [bytes, out] = allocateBytes(static_cast<size_t>(elements));
    const int perByte = 8 / dtype.bits;
    const int mask = (1 << dtype.bits) - 1;
    const int sign = dtype.isSigned() ? 1 << (dtype.bits - 1) : 0;
    for (int64_t i = 0; i < elements; ++i) {
        const int shift = static_cast<int>(i % perByte) * dtype.bits;
        const int code = (std::to_integer<int>(packed[static_cast<size_t>(i / perByte)]) >> shift) & mask;
        out[i] = static_cast<std::byte>((code ^ sign) - sign);
    }
    return bytes;
}

/// The dims of a constant, which are all known.
Result<std::vector<int64_t>> constantShape(const ::tflite::Tensor& tensor) {
    if (!tensor.shape())
        return std::vector<int64_t>();
    std::vector<int64_t> shape(tensor.shape()->begin(), tensor.shape()->end());
    for (const int64_t dim : shape)
        if (dim < 0)
            return failure(fmt::format("a constant has a negative dimension, {}", dim), convertAgain);
    return shape;
}

int32_t littleInt32(std::span<const std::byte> bytes, size_t index) {
    int32_t value = 0;
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return value;
}

} // namespace

std::optional<DataType> fromTensorType(int code) {
    const auto row = std::ranges::find(tensorTypes, code, [](const TensorTypeRow& each) { return int{each.code}; });
    return row == tensorTypes.end() ? std::nullopt : std::optional(row->dtype);
}

std::string tensorTypeName(int code) {
    if (code < ::tflite::TensorType_MIN || code > ::tflite::TensorType_MAX)
        return fmt::format("type {}", code);
    return ::tflite::EnumNameTensorType(static_cast<::tflite::TensorType>(code));
}

TensorReader::TensorReader(OpenModel open, std::shared_ptr<Budget> budget)
    : open_(std::move(open)), budget_(std::move(budget)) {}

Result<model::ValueType> TensorReader::typeOf(const ::tflite::Tensor& tensor, bool isInput,
                                              std::vector<Diagnostic>& warnings) {
    model::ValueType type;
    const auto* shape = tensor.shape();
    const size_t rank = shape ? shape->size() : 0;
    if (rank > static_cast<size_t>(limits::tensorRank))
        return failure(ErrorKind::Unsupported,
                       fmt::format("it has {} dimensions, more than the limit of {}", rank, limits::tensorRank),
                       "take dimensions together, or leave out those of 1");
    // An empty signature is that of a tensor which has none.
    const auto* signature = tensor.shape_signature();
    if (signature && signature->size() > 0 && signature->size() != rank)
        return failure(fmt::format("its shape has {} dimensions, its signature {}", rank, signature->size()),
                       convertAgain);
    for (flatbuffers::uoffset_t i = 0; i < rank; ++i) {
        const int64_t size = signature && signature->size() > 0 ? signature->Get(i) : shape->Get(i);
        if (size < -1)
            return failure(fmt::format("it has a negative dimension, {}", size), convertAgain);
        type.shape.push_back({size, {}});
    }
    const std::optional<DataType> dtype = fromTensorType(tensor.type());
    if (!dtype) {
        if (tensor.type() > ::tflite::TensorType_MAX || tensor.type() < ::tflite::TensorType_MIN)
            return failure(ErrorKind::Unsupported,
                           fmt::format("its element type {} is unknown", static_cast<int>(tensor.type())),
                           convertAgain);
        return model::ValueType(); // only operators know what it is for
    }
    type.kind = model::ValueType::Kind::Tensor;
    type.dtype = *dtype;
    type.hasShape = rank > 0 || tensor.has_rank() || isInput;
    LATHE_TRY(type.quantization, quantizationOf(tensor, *dtype, warnings));
    return type;
}

Result<model::Bytes> TensorReader::behind(uint64_t offset, uint64_t size) const {
    const uint64_t all = open_.bytes.view.size();
    if (offset > all || size > all - offset)
        return failure(fmt::format("it lies at {} with {} bytes, but the file has {}", offset, size, all),
                       "the file is cut off or was written wrongly; convert the model again");
    return model::Bytes{open_.bytes.owner,
                        open_.bytes.view.subspan(static_cast<size_t>(offset), static_cast<size_t>(size))};
}

Result<model::Bytes> TensorReader::buffer(uint32_t index) const {
    const auto* buffers = open_.model->buffers();
    const uint32_t count = buffers ? buffers->size() : 0;
    if (index >= count)
        return index == 0 ? Result<model::Bytes>(model::Bytes())
                          : failure(fmt::format("it names buffer {} of {}", index, count), convertAgain);
    const ::tflite::Buffer* found = buffers->Get(index);
    if (found->data() && found->data()->size() > 0)
        return model::Bytes{open_.bytes.owner, std::as_bytes(std::span(found->data()->data(), found->data()->size()))};
    // 0 and 1 are what writers put there before they know better.
    if (found->offset() > 1 && found->size() > 1)
        return behind(found->offset(), found->size());
    return model::Bytes();
}

Result<bool> TensorReader::hasElements(const ::tflite::Tensor& tensor) const {
    if (tensor.external_buffer() != 0)
        return true;
    LATHE_TRY(const model::Bytes raw, buffer(tensor.buffer()));
    return !raw.view.empty();
}

Result<model::TensorPtr> TensorReader::read(const ::tflite::Tensor& tensor) {
    budget_->checkpoint();
    const std::optional<DataType> dtype = fromTensorType(tensor.type());
    if (!dtype)
        return failure(ErrorKind::Unsupported,
                       fmt::format("constants of element type {} are not supported", tensorTypeName(tensor.type())));
    if (tensor.external_buffer() != 0)
        return failure(ErrorKind::Unsupported, "its elements lie in a file beside the model, which is not supported",
                       "convert the model with its constants in one file");
    LATHE_TRY(std::vector<int64_t> shape, constantShape(tensor));
    const std::optional<int64_t> elements = model::elementsOf(shape);
    if (!elements)
        return failure(ErrorKind::Unsupported,
                       fmt::format("it has more elements than the limit of {}", limits::tensorElements),
                       "check its dimensions, or split it");
    LATHE_TRY(const model::Bytes raw, buffer(tensor.buffer()));
    if (*dtype == types::String)
        return readStrings(raw, std::move(shape), *elements);
    auto data = std::make_shared<model::TensorData>();
    data->dtype = *dtype;
    if (const ::tflite::SparsityParameters* sparsity = tensor.sparsity(); sparsity && sparsity->dim_metadata()) {
        if (dtype->bits < 8)
            return failure(ErrorKind::Unsupported,
                           fmt::format("sparse constants of {} are not supported", toString(*dtype)),
                           "store the tensor dense");
        LATHE_TRY(data->bytes, densify(*sparsity, shape, dtype->bytes(), raw.view, *budget_));
    } else {
        LATHE_TRY(data->bytes, elementsOf(raw, *dtype, *elements));
    }
    data->shape = std::move(shape);
    return data;
}

Result<void> TensorReader::takeCopy(size_t bytes) {
    const size_t most = copiesOfFile * open_.bytes.view.size();
    if (bytes > most - copied_)
        return failure(ErrorKind::Unsupported,
                       fmt::format("the model's constants take more than {} times the size of its file", copiesOfFile),
                       convertAgain);
    copied_ += bytes;
    return {};
}

/// Bytes of the file to TensorData's form. Shares them where they already have it.
Result<model::Bytes> TensorReader::elementsOf(const model::Bytes& raw, DataType dtype, int64_t elements) {
    const int64_t expected = dtype.bits < 8 ? (elements * dtype.bits + 7) / 8 : elements * dtype.bytes();
    if (static_cast<int64_t>(raw.view.size()) != expected)
        return failure(
            fmt::format("it has {} bytes of data where its shape and type ask for {}", raw.view.size(), expected),
            convertAgain);
    const bool isAligned = reinterpret_cast<uintptr_t>(raw.view.data()) % static_cast<size_t>(dtype.bytes()) == 0;
    if (dtype.bits >= 8 && isAligned && !dtype.isBool())
        return raw;
    const CopyKey key{raw.view.data(), static_cast<size_t>(elements), dtype};
    if (const auto known = copies_.find(key); known != copies_.end())
        return known->second;
    LATHE_CHECKED(takeCopy(static_cast<size_t>(elements) * static_cast<size_t>(dtype.bytes())));
    if (dtype.bits < 8)
        return copies_.emplace(key, unpackNarrow(raw.view, dtype, elements)).first->second;
    auto [bytes, out] = allocateBytes(raw.view.size());
    std::ranges::copy(raw.view, out);
    if (dtype.isBool())
        for (size_t i = 0; i < raw.view.size(); ++i)
            out[i] = static_cast<std::byte>(raw.view[i] != std::byte{0});
    return copies_.emplace(key, std::move(bytes)).first->second;
}

/// A buffer of strings: how many, where each begins and the last ends, from the start of the buffer, and their bytes.
Result<model::TensorPtr> TensorReader::readStrings(const model::Bytes& raw, std::vector<int64_t> shape,
                                                   int64_t elements) {
    auto data = std::make_shared<model::TensorData>();
    data->dtype = types::String;
    data->shape = std::move(shape);
    if (elements == 0)
        return data;
    const std::span<const std::byte> bytes = raw.view;
    const int64_t room = static_cast<int64_t>(bytes.size() / sizeof(int32_t)) - 2;
    const int64_t count = room < 0 ? -1 : littleInt32(bytes, 0);
    if (count != elements || count > room)
        return failure(fmt::format("it has {} strings where its shape asks for {}", count, elements), convertAgain);
    LATHE_CHECKED(takeCopy(bytes.size() + static_cast<size_t>(count)));
    for (int64_t i = 0; i < count; ++i) {
        const int64_t begin = littleInt32(bytes, static_cast<size_t>(i) + 1);
        const int64_t end = littleInt32(bytes, static_cast<size_t>(i) + 2);
        if (begin < 0 || end < begin || end > static_cast<int64_t>(bytes.size()))
            return failure(fmt::format("string {} of it lies from {} to {} of {} bytes", i, begin, end, bytes.size()),
                           convertAgain);
        data->strings.emplace_back(reinterpret_cast<const char*>(bytes.data()) + begin,
                                   static_cast<size_t>(end - begin));
    }
    return data;
}

} // namespace lathe::frontend::tflite
