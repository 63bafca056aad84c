// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/tensors.h"

#include "frontend/tensorflow/elements.h"
#include "frontend/tensorflow/types.h"
#include "model/host_tensor.h"

#include <tensorflow/core/framework/tensor.pb.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

namespace lathe::frontend::tensorflow {
namespace {

constexpr const char* wronglyWritten = "the file is damaged or was written wrongly; export the model again";

/// Elements of a narrow type from the wider numbers that messages hold.
template <class To>
void fill(std::vector<std::byte>& bytes, int64_t elements, const auto& values) {
    const int64_t given = values.size();
    To last{};
    for (int64_t i = 0; i < elements; ++i) {
        if (i < given)
            last = static_cast<To>(values[static_cast<int>(i)]);
        std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(To), &last, sizeof(To));
    }
}

/// The numbers that stand in a field of their own; false if there are more than elements.
bool fillTyped(const ::tensorflow::TensorProto& proto, DataType dtype, int64_t elements,
               std::vector<std::byte>& bytes) {
    const auto as = [&]<class To>(To, const auto& values) {
        if (values.size() > elements)
            return false;
        fill<To>(bytes, elements, values);
        return true;
    };
    if (dtype == types::Float32)
        return as(float(), proto.float_val());
    if (dtype == types::Float64)
        return as(double(), proto.double_val());
    if (dtype == types::Float16 || dtype == types::BFloat16)
        return as(uint16_t(), proto.half_val());
    if (dtype == types::Int64)
        return as(int64_t(), proto.int64_val());
    if (dtype == types::UInt64)
        return as(uint64_t(), proto.uint64_val());
    if (dtype == types::UInt32)
        return as(uint32_t(), proto.uint32_val());
    if (dtype == types::Bool)
        return as(bool(), proto.bool_val());
    if (dtype.bytes() == 1)
        return as(uint8_t(), proto.int_val());
    if (dtype.bytes() == 2)
        return as(uint16_t(), proto.int_val());
    return as(int32_t(), proto.int_val());
}

int realTypeOf(int complex) {
    return complex == ::tensorflow::DT_COMPLEX64 ? ::tensorflow::DT_FLOAT : ::tensorflow::DT_DOUBLE;
}

/// The same of complex numbers, of which the last pair stands for all that follow.
template <class To>
bool fillPairs(std::vector<std::byte>& bytes, int64_t elements, const auto& values) {
    const int64_t given = values.size();
    if (given > elements || given % 2 != 0)
        return false;
    for (int64_t i = 0; i < elements; ++i) {
        const int64_t at = i < given ? i : given - 2 + i % 2;
        const To value = at < 0 ? To{} : static_cast<To>(values[static_cast<int>(at)]);
        std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(To), &value, sizeof(To));
    }
    return true;
}

bool fillPairs(const ::tensorflow::TensorProto& proto, int64_t elements, std::vector<std::byte>& bytes) {
    return proto.dtype() == ::tensorflow::DT_COMPLEX64 ? fillPairs<float>(bytes, elements, proto.scomplex_val())
                                                       : fillPairs<double>(bytes, elements, proto.dcomplex_val());
}

} // namespace

Result<std::optional<std::vector<int64_t>>> shapeOf(const ::tensorflow::TensorShapeProto& proto) {
    if (proto.unknown_rank())
        return std::nullopt;
    if (proto.dim_size() > limits::tensorRank)
        return failure(ErrorKind::Unsupported,
                       fmt::format("a shape has {} dims, more than {}", proto.dim_size(), limits::tensorRank));
    std::vector<int64_t> shape;
    for (const auto& dim : proto.dim()) {
        if (dim.size() < -1 || dim.size() > limits::tensorElements)
            return failure(fmt::format("a dim is {}", dim.size()), wronglyWritten);
        shape.push_back(dim.size());
    }
    return shape;
}

TensorReader::TensorReader(std::shared_ptr<const void> owner, std::shared_ptr<Budget> budget)
    : owner_(std::move(owner)), budget_(std::move(budget)) {}

Result<model::TensorPtr> TensorReader::read(const ::tensorflow::TensorProto& proto) {
    const auto found = read_.find(&proto);
    return found != read_.end() ? found->second : read_.emplace(&proto, make(proto)).first->second;
}

Result<model::TensorPtr> TensorReader::make(const ::tensorflow::TensorProto& proto) {
    const bool isComplex = proto.dtype() == ::tensorflow::DT_COMPLEX64 || proto.dtype() == ::tensorflow::DT_COMPLEX128;
    const std::optional<DataType> dtype = fromProto(isComplex ? realTypeOf(proto.dtype()) : proto.dtype());
    if (!dtype)
        return failure(ErrorKind::Unsupported,
                       fmt::format("a constant is of {}, which is not supported", protoTypeName(proto.dtype())));
    LATHE_TRY(auto shape, shapeOf(proto.tensor_shape()));
    if (shape && isComplex)
        shape->push_back(2); // pairs: complex.h
    if (shape && shape->size() > static_cast<size_t>(limits::tensorRank))
        return failure(ErrorKind::Unsupported, "a constant of complex numbers has too many dims");
    const auto elements = shape ? model::elementsOf(*shape) : std::nullopt;
    const auto size = elements ? model::byteSize(*dtype, *shape) : std::nullopt;
    if (!size)
        return failure(fmt::format("a constant's shape is not known, or too large: [{}]",
                                   fmt::join(shape.value_or(std::vector<int64_t>()), ",")),
                       wronglyWritten);
    auto tensor = std::make_shared<model::TensorData>(model::TensorData{*dtype, *std::move(shape), {}, {}});
    if (*dtype == types::String) {
        const int64_t given = proto.string_val_size();
        if (given > *elements)
            return failure(fmt::format("a constant of {} strings holds {}", *elements, given), wronglyWritten);
        const std::string last = given == 0 ? "" : proto.string_val(static_cast<int>(given) - 1);
        if (*elements > given &&
            ((*elements - given) > limits::foldedBytes / static_cast<int64_t>(sizeof(std::string) + last.size()) ||
             !budget_->takeBytes((*elements - given) * static_cast<int64_t>(sizeof(std::string) + last.size()))))
            return failure(ErrorKind::Unsupported, fmt::format("a constant of {} strings is too large", *elements));
        tensor->strings.assign(proto.string_val().begin(), proto.string_val().end());
        tensor->strings.resize(static_cast<size_t>(*elements), last);
        return tensor;
    }
    const std::string& content = proto.tensor_content();
    if (!content.empty()) {
        if (static_cast<int64_t>(content.size()) != *size)
            return failure(fmt::format("a constant {}[{}] takes {} bytes, the file holds {}", toString(*dtype),
                                       fmt::join(tensor->shape, ","), *size, content.size()),
                           wronglyWritten);
        LATHE_TRY(tensor->bytes, readable({owner_, std::as_bytes(std::span(content))}, *dtype, *budget_));
        return tensor;
    }
    if (!budget_->takeBytes(*size))
        return failure(
            ErrorKind::Unsupported,
            fmt::format("a constant {}[{}] is spelled by a few numbers of the file, but takes {} bytes: more "
                        "than may be made of them",
                        toString(*dtype), fmt::join(tensor->shape, ","), *size),
            "store its elements, or let the model make it by Fill");
    const auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(*size));
    if (isComplex ? !fillPairs(proto, *elements, *bytes) : !fillTyped(proto, *dtype, *elements, *bytes))
        return failure(fmt::format("a constant {}[{}] holds more numbers than its shape", toString(*dtype),
                                   fmt::join(tensor->shape, ",")),
                       wronglyWritten);
    tensor->bytes = {bytes, *bytes};
    return tensor;
}

} // namespace lathe::frontend::tensorflow
