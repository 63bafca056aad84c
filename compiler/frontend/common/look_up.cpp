// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/look_up.h"

#include <bit>

namespace lathe::frontend {

/// Strings are found by what they are; of numbers the place of the last key that is not above x is found by halves.
Var lookUp(Builder& b, Var x, Var keys, Var values, Var otherwise) {
    if (b.failed())
        return {};
    const int64_t count = arith::asInt(dim(b, keys, 0)).value_or(0);
    const Dims shape = b.shape(x);
    if (count == 0)
        return full(b, otherwise, shape);
    if (b.dtype(x) == types::String || b.dtype(keys) == types::String) {
        const Var all = concat(b, {values, reshape(b, otherwise, {1})}, 0); // the place of what is not found is behind
        return gather(b, all, b.call(Op::IndexOf, {x, keys}), 0);
    }
    const Var key = cast(b, x, types::Int64), last = b.scalarInt(count - 1);
    Var place = full(b, b.scalarInt(0), shape);
    for (auto step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count - 1))); step > 0; step /= 2) {
        const Var next = add(b, place, b.scalarInt(step));
        const Var found = gather(b, keys, minimum(b, next, last), 0);
        const Var isBelow =
            b.call(Op::LogicalAnd, {b.call(Op::LessEqual, {next, last}), b.call(Op::LessEqual, {found, key})});
        place = where(b, isBelow, next, place);
    }
    return where(b, equal(b, gather(b, keys, place, 0), key), gather(b, values, place, 0), otherwise);
}

} // namespace lathe::frontend
