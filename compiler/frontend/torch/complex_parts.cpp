// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/complex_parts.h"

namespace lathe::frontend::torch {

Var partOf(Builder& b, Var parts, int64_t which) {
    if (b.failed())
        return {};
    const int64_t last = b.rank(parts) - 1;
    return squeeze(b, sliceAxis(b, parts, last, which, 1), {last});
}

Var joinParts(Builder& b, Var real, Var imaginary) {
    if (b.failed())
        return {};
    const int64_t rank = b.rank(real);
    return concat(b, {unsqueeze(b, real, {rank}), unsqueeze(b, imaginary, {rank})}, rank);
}

Var magnitude(Builder& b, Var parts) {
    if (b.failed())
        return {};
    // By the larger part, so that squares neither overflow nor vanish.
    const Var real = b.call(Op::Abs, {partOf(b, parts, 0)}), imaginary = b.call(Op::Abs, {partOf(b, parts, 1)});
    const Var large = maximum(b, real, imaginary), small = minimum(b, real, imaginary);
    const Var isZero = equal(b, large, scalarLike(b, 0, large));
    const Var ratio = div(b, small, where(b, isZero, scalarLike(b, 1, large), large));
    return mul(b, large, b.call(Op::Sqrt, {addTo(b, mul(b, ratio, ratio), 1)}));
}

} // namespace lathe::frontend::torch
