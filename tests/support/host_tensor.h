// SPDX-License-Identifier: Apache-2.0
//
// Tensors from the values of a test, and back.
#pragma once

#include "model/host_tensor.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace lathe::testing {

/// T must be as wide as the data type's elements.
template <class T>
model::HostTensor tensorOf(DataType dtype, std::vector<int64_t> shape, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {dtype, std::move(shape), {bytes.begin(), bytes.end()}, {}};
}

template <class T>
std::vector<T> valuesOf(const model::HostTensor& tensor) {
    std::vector<T> values(tensor.bytes.size() / sizeof(T));
    std::copy_n(tensor.bytes.begin(), values.size() * sizeof(T), std::as_writable_bytes(std::span(values)).begin());
    return values;
}

} // namespace lathe::testing
