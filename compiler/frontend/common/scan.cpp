// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/scan.h"

#include "frontend/common/iterate.h"

namespace lathe::frontend {

std::vector<Var> scanned(Builder& b, const std::vector<Var>& values, int64_t axis, const Combine& combine) {
    if (b.failed())
        return std::vector<Var>(values.size());
    const int64_t rank = b.rank(values[0]);
    const Expr size = dim(b, values[0], axis);
    const Var place = iota(b, {size}, 0, types::Int64), zero = b.scalarInt(0), end = b.scalarOf(size);
    std::vector<Var> start = values;
    start.push_back(b.scalarInt(1)); // how far behind an element those stand that it has not taken in yet
    constexpr int64_t mostDigits = 64;
    std::vector<Var> result = iterated(b, start, mostDigits, [&](Var, const std::vector<Var>& carried) {
        const Var distance = carried.back(), from = maximum(b, sub(b, place, distance), zero);
        const Var isWhole = alongAxis(b, less(b, place, distance), axis, rank); // there is nothing before
        const std::vector<Var> own(carried.begin(), carried.end() - 1);
        std::vector<Var> before;
        for (const Var value : own)
            before.push_back(gather(b, value, from, axis));
        std::vector<Var> next = combine(before, own);
        for (size_t i = 0; i < next.size(); ++i)
            next[i] = where(b, isWhole, own[i], next[i]);
        const Var farther = add(b, distance, distance);
        next.push_back(farther);
        next.push_back(less(b, farther, end));
        return next;
    });
    result.pop_back();
    return result;
}

} // namespace lathe::frontend
