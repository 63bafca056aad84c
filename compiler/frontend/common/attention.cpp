// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/attention.h"

namespace lathe::frontend {

Var repeatedHeads(Builder& b, Var x, Var query) {
    if (!needRank(b, x, 3) || !needRank(b, query, 3))
        return {};
    Dims shape = b.shape(x);
    const size_t heads = shape.size() - 3;
    const Quotient times = quotient({dim(b, query, -3)}, {shape[heads]});
    if (arith::isConst(times.value, 1))
        return x;
    x = assume(b, x, arith::eq(times.value * shape[heads], dim(b, query, -3)),
               "the heads of queries are a multiple of those of keys and values");
    Dims one = shape, all = shape;
    one.insert(one.begin() + static_cast<std::ptrdiff_t>(heads) + 1, Expr(1));
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(heads) + 1, times.value);
    shape[heads] = arith::simplify(shape[heads] * times.value);
    return reshape(b, expand(b, reshape(b, x, one), all), shape);
}

} // namespace lathe::frontend
