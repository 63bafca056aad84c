// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/split.h"

#include <fmt/format.h>
#include <utility>

namespace lathe::frontend {

Var coveredBy(Builder& b, Var x, int64_t axis, const Dims& sizes) {
    const Expr size = dim(b, x, axis);
    Expr covered = 0;
    for (const Expr& part : sizes)
        covered = covered + part;
    covered = arith::simplify(covered);
    return assume(
        b, x, arith::eq(covered, size),
        fmt::format("the parts, of {} elements, cover a dim of {}", arith::sizeText(covered), arith::sizeText(size)));
}

Var dividedBy(Builder& b, Var x, int64_t axis, int64_t parts) {
    const Expr size = dim(b, x, axis);
    return assume(b, x, arith::eq(arith::floorMod(size, parts), 0),
                  fmt::format("a dim of {} divides into {} equal parts", arith::sizeText(size), parts));
}

std::optional<Dims> partSizes(Builder& b, Var& x, int64_t axis, Dims sizes) {
    Expr others = 0;
    std::optional<size_t> rest;
    for (size_t i = 0; i < sizes.size(); ++i) {
        if (!arith::isConst(sizes[i], -1)) {
            others = others + sizes[i];
        } else if (std::exchange(rest, i)) {
            b.fail("more than one part is to take what the others leave");
            return std::nullopt;
        }
    }
    if (rest)
        sizes[*rest] = arith::simplify(dim(b, x, axis) - others);
    for (const Expr& size : sizes)
        x = assume(b, x, arith::ge(size, 0), fmt::format("no part of {} is negative", text(sizes)));
    return sizes;
}

Dims beginsOf(const Dims& sizes) {
    Dims begins;
    Expr begin = 0;
    for (const Expr& size : sizes) {
        begins.push_back(begin);
        begin = arith::simplify(begin + size);
    }
    return begins;
}

} // namespace lathe::frontend
