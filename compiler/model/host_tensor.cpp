// SPDX-License-Identifier: Apache-2.0
#include "model/host_tensor.h"

#include "base/limits.h"
#include "base/narrow_float.h"
#include "model/model_graph.h"

#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace lathe::model {
namespace {

template <class T>
T read(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

} // namespace

HostTensor composed(char form, std::vector<HostTensor> parts) {
    HostTensor value;
    value.form = form == 'l' ? HostTensor::Form::List : HostTensor::Form::Optional;
    value.parts = std::move(parts);
    return value;
}

std::string formText(const HostTensor& value) {
    if (value.form == HostTensor::Form::List)
        return fmt::format("a list of {}", value.parts.size());
    if (value.form == HostTensor::Form::Optional)
        return value.parts.empty() ? "an optional without value" : "an optional of " + formText(value.parts.front());
    return fmt::format("{}[{}]", toString(value.dtype), fmt::join(value.shape, ","));
}

std::optional<int64_t> elementsOf(std::span<const int64_t> shape) {
    if (shape.size() > static_cast<size_t>(limits::tensorRank))
        return std::nullopt;
    int64_t count = 1;
    bool empty = false;
    for (const int64_t dim : shape) {
        if (dim < 0 || dim > limits::tensorElements / count)
            return std::nullopt;
        empty = empty || dim == 0;
        count *= dim == 0 ? 1 : dim;
    }
    return empty ? 0 : count;
}

std::optional<int64_t> byteSize(DataType dtype, std::span<const int64_t> shape) {
    const std::optional<int64_t> elements = elementsOf(shape);
    if (!elements || *elements * dtype.bytes() > limits::tensorBytes)
        return std::nullopt;
    return *elements * dtype.bytes();
}

Number elementOf(DataType dtype, std::span<const std::byte> bytes, size_t index) {
    const auto size = static_cast<size_t>(dtype.bytes());
    const std::byte* at = bytes.data() + index * size;
    if (dtype == types::Float32)
        return double(read<float>(at));
    if (dtype == types::Float64)
        return read<double>(at);
    if (dtype.isFloat()) {
        uint64_t bits = 0;
        std::memcpy(&bits, at, size);
        return double(bitsToFloat(bits, dtype));
    }
    const auto integer = [&]<class Signed, class Unsigned>(Signed, Unsigned) -> Number {
        if (dtype.isSigned())
            return int64_t{read<Signed>(at)};
        return uint64_t{read<Unsigned>(at)};
    };
    switch (size) {
    case 1:
        return integer(int8_t{}, uint8_t{});
    case 2:
        return integer(int16_t{}, uint16_t{});
    case 4:
        return integer(int32_t{}, uint32_t{});
    default:
        return integer(int64_t{}, uint64_t{});
    }
}

double elementAsDouble(DataType dtype, std::span<const std::byte> bytes, size_t index) {
    return std::visit([](auto value) { return static_cast<double>(value); }, elementOf(dtype, bytes, index));
}

HostTensor toHost(const TensorData& tensor) {
    return {tensor.dtype, tensor.shape, {tensor.bytes.view.begin(), tensor.bytes.view.end()}, tensor.strings};
}

std::shared_ptr<const TensorData> toData(HostTensor tensor) {
    const auto owner = std::make_shared<const HostTensor>(std::move(tensor));
    return std::make_shared<const TensorData>(
        TensorData{owner->dtype, owner->shape, {owner, owner->bytes}, owner->strings});
}

} // namespace lathe::model
