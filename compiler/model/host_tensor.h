// SPDX-License-Identifier: Apache-2.0
//
// A tensor by value: what models are fed with and what they give, between files, runner and comparison.
#pragma once

#include "base/data_type.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lathe::model {

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

} // namespace lathe::model
