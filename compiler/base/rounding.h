// SPDX-License-Identifier: Apache-2.0
//
// Division of counts, rounded up.
#pragma once

#include <cstdint>

namespace lathe {

/// The least q with q * b >= a; a >= 0, b > 0, a + b representable.
constexpr int64_t ceilDiv(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/// The least multiple of `step` that is not below a; as ceilDiv.
constexpr int64_t roundUp(int64_t a, int64_t step) {
    return ceilDiv(a, step) * step;
}

} // namespace lathe
