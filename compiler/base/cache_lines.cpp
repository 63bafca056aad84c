// SPDX-License-Identifier: Apache-2.0
#include "base/cache_lines.h"

#include <algorithm>
#include <numeric>

namespace lathe {

int64_t rowsHeld(int64_t apart, int64_t ways) {
    if (apart <= 0 || apart % lineBytes != 0)
        return manyRows;
    return ways * (pageBytes / std::gcd(apart, pageBytes));
}

int64_t waysOf(const Target& target) {
    return std::max<int64_t>(1, target.l1Bytes / pageBytes);
}

} // namespace lathe
