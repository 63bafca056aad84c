// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/products.h"

namespace lathe::frontend {

Var matrixProduct(Builder& b, Var x, Var y) {
    if (!needRank(b, x, 1) || !needRank(b, y, 1))
        return {};
    const bool row = b.rank(x) == 1, column = b.rank(y) == 1;
    Var result = matmul(b, row ? unsqueeze(b, x, {0}) : x, column ? unsqueeze(b, y, {1}) : y);
    if (b.failed())
        return {};
    const int64_t rank = b.rank(result);
    Ints dropped;
    if (row)
        dropped.push_back(rank - 2);
    if (column)
        dropped.push_back(rank - 1);
    return squeeze(b, result, dropped);
}

} // namespace lathe::frontend
