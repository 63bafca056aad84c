// SPDX-License-Identifier: Apache-2.0
//
// A tensor by value: what models are fed with and what they give, between files, runner and comparison. Where a model takes or
// gives a list or an optional, the same stands for that: then it is made of parts.
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

    enum class Form : uint8_t { Tensor, List, Optional };
    Form form = Form::Tensor;
    std::vector<HostTensor> parts = {}; // of a list; of an optional one at most. Then there is no type and no element
    bool isComposed() const { return form != Form::Tensor; }

    bool operator==(const HostTensor&) const = default;

    int64_t elements() const {
        int64_t count = isComposed() ? 0 : 1;
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

/// A list or an optional ('l', 'o': lathe_value_desc::form) of these parts.
HostTensor composed(char form, std::vector<HostTensor> parts = {});
/// "float32[2,3]", "a list of 3", "an optional without value".
std::string formText(const HostTensor& value);

/// A copy of the bytes or strings.
HostTensor toHost(const TensorData& tensor);
/// Without a copy.
std::shared_ptr<const TensorData> toData(HostTensor tensor);

} // namespace lathe::model
