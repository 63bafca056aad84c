// SPDX-License-Identifier: Apache-2.0
//
// Element types, layouts and places in which a TensorProto may keep its elements.
#include "frontend/onnx/tensors.h"

#include "base/limits.h"
#include "model/host_tensor.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

namespace lathe::frontend::onnx {
namespace {

using Proto = ::onnx::TensorProto;

struct TypePair {
    int32_t proto;
    DataType dtype;
};
constexpr std::array typePairs = {
    TypePair{Proto::FLOAT, types::Float32},
    TypePair{Proto::UINT8, types::UInt8},
    TypePair{Proto::INT8, types::Int8},
    TypePair{Proto::UINT16, types::UInt16},
    TypePair{Proto::INT16, types::Int16},
    TypePair{Proto::INT32, types::Int32},
    TypePair{Proto::INT64, types::Int64},
    TypePair{Proto::STRING, types::String},
    TypePair{Proto::BOOL, types::Bool},
    TypePair{Proto::FLOAT16, types::Float16},
    TypePair{Proto::DOUBLE, types::Float64},
    TypePair{Proto::UINT32, types::UInt32},
    TypePair{Proto::UINT64, types::UInt64},
    TypePair{Proto::BFLOAT16, types::BFloat16},
    TypePair{Proto::FLOAT8E4M3FN, {TypeCode::Float8E4M3FN, 8}},
    TypePair{Proto::FLOAT8E4M3FNUZ, {TypeCode::Float8E4M3FNUZ, 8}},
    TypePair{Proto::FLOAT8E5M2, {TypeCode::Float8E5M2, 8}},
    TypePair{Proto::FLOAT8E5M2FNUZ, {TypeCode::Float8E5M2FNUZ, 8}},
    TypePair{Proto::FLOAT8E8M0, {TypeCode::Float8E8M0, 8}},
    TypePair{Proto::FLOAT4E2M1, {TypeCode::Float4E2M1, 4}},
    TypePair{Proto::UINT4, types::UInt4},
    TypePair{Proto::INT4, types::Int4},
    TypePair{Proto::UINT2, types::UInt2},
    TypePair{Proto::INT2, types::Int2},
};

/// Owned bytes; operator new aligns them for every element type.
std::pair<model::Bytes, std::byte*> allocate(size_t size) {
    std::shared_ptr<std::byte[]> memory(new std::byte[size == 0 ? 1 : size]());
    return {model::Bytes{memory, {memory.get(), size}}, memory.get()};
}

/// Bytes that the file needs for `elements`: narrow types are packed.
int64_t packedBytes(DataType dtype, int64_t elements) {
    return dtype.bits < 8 ? (elements * dtype.bits + 7) / 8 : elements * dtype.bytes();
}

/// One element a byte, the first in the low bits; signed ones sign-extended.
model::Bytes unpack(std::span<const std::byte> packed, DataType dtype, int64_t elements) {
    auto [bytes, out] = allocate(static_cast<size_t>(elements));
    const int perByte = 8 / dtype.bits;
    const int mask = (1 << dtype.bits) - 1;
    const int sign = dtype.code == TypeCode::Int ? 1 << (dtype.bits - 1) : 0;
    for (int64_t i = 0; i < elements; ++i) {
        const int shift = static_cast<int>(i % perByte) * dtype.bits;
        const int code = (std::to_integer<int>(packed[static_cast<size_t>(i / perByte)]) >> shift) & mask;
        out[i] = static_cast<std::byte>((code ^ sign) - sign);
    }
    return bytes;
}

/// Bytes of the file to TensorData's form. Shares them where they already have it.
model::Bytes fromRaw(const model::Bytes& raw, DataType dtype, int64_t elements) {
    if (dtype.bits < 8)
        return unpack(raw.view, dtype, elements);
    const bool aligned = reinterpret_cast<uintptr_t>(raw.view.data()) % static_cast<uintptr_t>(dtype.bytes()) == 0;
    if (aligned && !dtype.isBool())
        return raw;
    auto [bytes, out] = allocate(raw.view.size());
    std::ranges::copy(raw.view, out);
    if (dtype.isBool())
        for (size_t i = 0; i < raw.view.size(); ++i)
            out[i] = static_cast<std::byte>(raw.view[i] != std::byte{0});
    return bytes;
}

template <class Element, class Field>
model::Bytes fromField(const Field& field) {
    auto [bytes, out] = allocate(static_cast<size_t>(field.size()) * sizeof(Element));
    for (int i = 0; i < field.size(); ++i) {
        const auto element = static_cast<Element>(field[i]);
        std::memcpy(out + static_cast<size_t>(i) * sizeof(Element), &element, sizeof(Element));
    }
    return bytes;
}

/// Packed to bytes as in the file, from int32_data, by the width of an element.
model::Bytes fromInt32(const Proto& proto, DataType dtype) {
    if (dtype.bits == 32)
        return fromField<int32_t>(proto.int32_data());
    if (dtype.bits == 16)
        return fromField<uint16_t>(proto.int32_data());
    return fromField<uint8_t>(proto.int32_data());
}

model::Bytes fromTyped(const Proto& proto, DataType dtype) {
    if (dtype == types::Float32)
        return fromField<float>(proto.float_data());
    if (dtype == types::Float64)
        return fromField<double>(proto.double_data());
    if (dtype == types::Int64)
        return fromField<int64_t>(proto.int64_data());
    if (dtype == types::UInt64)
        return fromField<uint64_t>(proto.uint64_data());
    if (dtype == types::UInt32)
        return fromField<uint32_t>(proto.uint64_data());
    return fromInt32(proto, dtype);
}

Result<std::vector<int64_t>> readShape(const google::protobuf::RepeatedField<int64_t>& dims, int64_t& elements) {
    if (dims.size() > limits::tensorRank)
        return failure(
            ErrorKind::Unsupported,
            fmt::format("the tensor has {} dimensions, more than the limit of {}", dims.size(), limits::tensorRank),
            "take dimensions together, or leave out those of 1");
    std::vector<int64_t> shape(dims.begin(), dims.end());
    for (int64_t dim : shape)
        if (dim < 0)
            return failure(fmt::format("the tensor has a negative dimension, {}", dim));
    const std::optional<int64_t> count = model::elementsOf(shape);
    if (!count)
        return failure(ErrorKind::Unsupported,
                       fmt::format("the tensor has more elements than the limit of {}", limits::tensorElements),
                       "check its dimensions, or split it");
    elements = *count;
    return shape;
}

} // namespace

std::optional<DataType> fromProto(int64_t dtype) {
    for (const TypePair& pair : typePairs)
        if (pair.proto == dtype)
            return pair.dtype;
    return std::nullopt;
}

std::optional<int32_t> toProto(DataType dtype) {
    for (const TypePair& pair : typePairs)
        if (pair.dtype == dtype)
            return pair.proto;
    return std::nullopt;
}

std::string protoTypeName(int32_t dtype) {
    return Proto::DataType_IsValid(dtype) ? Proto::DataType_Name(static_cast<Proto::DataType>(dtype))
                                          : fmt::format("type {}", dtype);
}

TensorReader::TensorReader(std::shared_ptr<const void> owner, std::vector<std::filesystem::path> folders,
                           std::shared_ptr<Budget> budget)
    : owner_(std::move(owner)), folders_(std::move(folders)), budget_(std::move(budget)) {}

Result<model::TensorPtr> TensorReader::read(const Proto& proto) {
    if (const auto known = read_.find(&proto); known != read_.end())
        return known->second;
    return read_.emplace(&proto, make(proto)).first->second;
}

Result<model::TensorPtr> TensorReader::readSparse(const ::onnx::SparseTensorProto& proto) {
    if (const auto known = read_.find(&proto); known != read_.end())
        return known->second;
    return read_.emplace(&proto, makeDense(proto)).first->second;
}

Result<model::TensorPtr> TensorReader::make(const Proto& proto) {
    budget_->checkpoint();
    const std::optional<DataType> dtype = fromProto(proto.data_type());
    if (!dtype)
        return failure(ErrorKind::Unsupported,
                       fmt::format("element type {} is not supported", protoTypeName(proto.data_type())));
    if (proto.has_segment())
        return failure(ErrorKind::Unsupported, "tensors in segments are not supported", "store the tensor whole");
    auto tensor = std::make_shared<model::TensorData>();
    tensor->dtype = *dtype;
    int64_t elements = 0;
    LATHE_TRY(tensor->shape, readShape(proto.dims(), elements));

    if (*dtype == types::String) {
        if (proto.string_data_size() != elements)
            return failure(fmt::format("the tensor has {} strings where its shape asks for {}",
                                       proto.string_data_size(), elements));
        tensor->strings.assign(proto.string_data().begin(), proto.string_data().end());
        return tensor;
    }
    const int64_t expected = packedBytes(*dtype, elements);
    model::Bytes raw;
    if (proto.data_location() == Proto::EXTERNAL) {
        LATHE_TRY(raw, external(proto, expected));
    } else if (proto.has_raw_data()) {
        raw = {owner_, std::as_bytes(std::span(proto.raw_data()))};
    } else {
        raw = fromTyped(proto, *dtype);
    }
    if (static_cast<int64_t>(raw.view.size()) != expected)
        return failure(fmt::format("the tensor has {} bytes of data where its shape and type ask for {}",
                                   raw.view.size(), expected),
                       "the file is damaged or was written wrongly; export it again");
    tensor->bytes = fromRaw(raw, *dtype, elements);
    return tensor;
}

/// The file that a tensor names, with no links left: below one of the folders.
Result<std::filesystem::path> TensorReader::fileAt(const std::string& location) const {
    namespace fs = std::filesystem;
    if (folders_.empty())
        return failure("the tensor lies in external data, but the model has no folder", "open the model from a file");
    if (location.empty() || location.find('\0') != std::string::npos)
        return failure("external data names no file");
    const fs::path relative = fs::path(location).lexically_normal();
    if (relative.is_absolute() || *relative.begin() == "..")
        return failure(fmt::format("external data '{}' lies outside of the model's folder", location),
                       "external data must be named relative to the model and stay in its folder");
    std::error_code code;
    fs::path path;
    for (const fs::path& folder : folders_) {
        path = fs::weakly_canonical(folder / relative, code);
        if (std::error_code unknown; !code && fs::exists(path, unknown))
            break;
    }
    if (code)
        return failure(fmt::format("external data '{}' cannot be followed: {}", location,
                                   code == std::errc::too_many_symbolic_link_levels ? "its links lead in a circle"
                                                                                    : code.message()),
                       "put the file itself beside the model");
    const auto holds = [&](const fs::path& folder) {
        std::error_code missing;
        const fs::path real = fs::canonical(folder, missing);
        return !missing && std::mismatch(real.begin(), real.end(), path.begin(), path.end()).first == real.end();
    };
    if (std::ranges::none_of(folders_, holds))
        return failure(fmt::format("external data '{}' is a link to a place outside of the model's folder", location),
                       "put the file itself beside the model");
    return path;
}

Result<model::Bytes> TensorReader::external(const Proto& proto, int64_t expected) {
    std::string location;
    int64_t offset = 0, length = -1;
    for (const ::onnx::StringStringEntryProto& entry : proto.external_data()) {
        if (entry.key() == "location") {
            location = entry.value();
        } else if (entry.key() == "offset" || entry.key() == "length") {
            int64_t& number = entry.key() == "offset" ? offset : length;
            const std::string& text = entry.value();
            const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
            if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || number < 0)
                return failure(fmt::format("external data has the {} '{}', which is no size", entry.key(), text));
        }
    }
    LATHE_TRY(const std::filesystem::path path, fileAt(location));
    auto known = files_.find(path);
    if (known == files_.end()) {
        Result<MappedFile> mapped = mapFile(path, limits::modelFileBytes);
        if (!mapped)
            return failure(fmt::format("external data '{}': {}", location, mapped.error().what),
                           location.find('\\') == std::string::npos
                               ? "put the file beside the model"
                               : "the location is written as on Windows: write it with / when exporting the model");
        known = files_.emplace(path, *std::move(mapped)).first;
    }
    const model::Bytes& file = known->second.bytes;
    const auto size = static_cast<int64_t>(file.view.size());
    if (length < 0)
        length = expected;
    if (offset > size || length > size - offset)
        return failure(fmt::format("external data '{}' has {} bytes, but the tensor asks for {} at offset {}", location,
                                   size, length, offset),
                       "the file is cut off or belongs to another model");
    return model::Bytes{file.owner, file.view.subspan(static_cast<size_t>(offset), static_cast<size_t>(length))};
}

FileIdentities TensorReader::files() const {
    FileIdentities files;
    for (const auto& [path, file] : files_)
        files.emplace_back(path, file.identity);
    return files;
}

Result<model::TensorPtr> TensorReader::makeDense(const ::onnx::SparseTensorProto& proto) {
    int64_t elements = 0;
    LATHE_TRY(std::vector<int64_t> shape, readShape(proto.dims(), elements));
    LATHE_TRY(model::TensorPtr values, read(proto.values()));
    LATHE_TRY(model::TensorPtr indices, read(proto.indices()));
    const int64_t count = values->elements();
    const auto rank = static_cast<int64_t>(shape.size());
    const bool linear = indices->shape.size() == 1;
    if (values->dtype == types::String || values->shape.size() != 1 || indices->dtype != types::Int64 ||
        indices->elements() != (linear ? count : count * rank))
        return failure("the sparse tensor's values and indices do not fit together");
    const auto width = static_cast<size_t>(values->dtype.bytes());
    if (!budget_->takeBytes(elements * values->dtype.bytes()))
        return failure(ErrorKind::Unsupported,
                       fmt::format("the model's sparse tensors take more than the limit of {} bytes when dense: this "
                                   "one has {} elements",
                                   limits::foldedBytes, elements),
                       "store the tensor dense, so that its size is that of the file");
    auto [bytes, out] = allocate(static_cast<size_t>(elements) * width);
    const auto* at = reinterpret_cast<const int64_t*>(indices->bytes.view.data());
    for (int64_t i = 0; i < count; ++i) {
        int64_t flat = 0;
        bool inside = true;
        for (int64_t d = 0; d < (linear ? 1 : rank); ++d) {
            const int64_t extent = linear ? elements : shape[static_cast<size_t>(d)];
            const int64_t index = *at++;
            inside = inside && index >= 0 && index < extent;
            flat = inside ? flat * extent + index : 0;
        }
        if (!inside)
            return failure("the sparse tensor has an index outside of its shape");
        std::memcpy(out + static_cast<size_t>(flat) * width, values->bytes.view.data() + static_cast<size_t>(i) * width,
                    width);
    }
    auto dense = std::make_shared<model::TensorData>();
    dense->dtype = values->dtype;
    dense->shape = std::move(shape);
    dense->bytes = std::move(bytes);
    return dense;
}

} // namespace lathe::frontend::onnx
