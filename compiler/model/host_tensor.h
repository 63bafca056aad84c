// SPDX-License-Identifier: Apache-2.0
//
// A tensor by value: what models are fed with and what they give, between files, runner and comparison.
#pragma once

#include "base/data_type.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lathe::model {

struct TensorData;

struct HostTensor {
    DataType dtype;
    std::vector<int64_t> shape;
    std::vector<std::byte> bytes;     // row-major; elements narrower than a byte take one byte each
    std::vector<std::string> strings; // instead of bytes, for String
    bool operator==(const HostTensor&) const = default;

    int64_t elements() const {
        int64_t count = 1;
        for (const int64_t dim : shape)
            count *= dim;
        return count;
    }
};

/// Elements of a tensor of these dims, which may come from anywhere. Nothing if there are more than limits::tensorRank, one
/// is negative, or those that are not 0 make more than limits::tensorElements: then every part of the product fits too.
std::optional<int64_t> elementsOf(std::span<const int64_t> shape);

/// Bytes of a tensor of these dims; nothing as in elementsOf, or if they are more than limits::tensorBytes.
std::optional<int64_t> byteSize(DataType dtype, std::span<const int64_t> shape);

/// A signed integer, an unsigned one or a bool, a float.
using Number = std::variant<int64_t, uint64_t, double>;
/// Element `index`, exact. Not for strings.
Number elementOf(DataType dtype, std::span<const std::byte> bytes, size_t index);

/// Element `index` as a double: exact for every float type and for integers to 53 bits. Not for strings.
double elementAsDouble(DataType dtype, std::span<const std::byte> bytes, size_t index);

/// A copy of the bytes or strings.
HostTensor toHost(const TensorData& tensor);
/// Without a copy.
std::shared_ptr<const TensorData> toData(HostTensor tensor);

} // namespace lathe::model
