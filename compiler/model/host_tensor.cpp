// SPDX-License-Identifier: Apache-2.0
#include "model/host_tensor.h"

#include "base/limits.h"
#include "base/narrow_float.h"
#include "model/model_graph.h"

#include <cstring>

namespace lathe::model {
namespace {

template <class T>
double read(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return static_cast<double>(value);
}

} // namespace

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

double elementAsDouble(DataType dtype, std::span<const std::byte> bytes, size_t index) {
    const auto size = static_cast<size_t>(dtype.bytes());
    const std::byte* at = bytes.data() + index * size;
    if (dtype == types::Float32)
        return read<float>(at);
    if (dtype == types::Float64)
        return read<double>(at);
    if (dtype.isFloat()) {
        uint64_t bits = 0;
        std::memcpy(&bits, at, size);
        return bitsToFloat(bits, dtype);
    }
    switch (size) {
    case 1:
        return dtype.isSigned() ? read<int8_t>(at) : read<uint8_t>(at);
    case 2:
        return dtype.isSigned() ? read<int16_t>(at) : read<uint16_t>(at);
    case 4:
        return dtype.isSigned() ? read<int32_t>(at) : read<uint32_t>(at);
    default:
        return dtype.isSigned() ? read<int64_t>(at) : read<uint64_t>(at);
    }
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
