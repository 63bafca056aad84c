// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/random.h"

#include "relay/attrs.h"

#include <numbers>

namespace lathe::frontend {

using namespace relay;

std::optional<double> seedOfHalves(int64_t first, int64_t second) {
    if (first == 0 && second == 0)
        return std::nullopt;
    return static_cast<double>(first) + 0x1p-32 * static_cast<double>(second);
}

Var uniform(const RandomSource& source, Dims shape, DataType dtype, double low, double high,
            std::optional<double> seed) {
    RandomAttrs attrs;
    attrs.shape = std::move(shape);
    attrs.dtype = dtype;
    attrs.low = low;
    attrs.high = high;
    attrs.hasSeed = seed.has_value();
    attrs.seed = seed.value_or(0);
    attrs.call = source.nextCall();
    return source.b.call(Op::RandomUniform, {}, attrs);
}

/// Box and Muller: sqrt(-2 ln u) cos(2 pi v), with u in (0, 1].
Var normal(const RandomSource& source, const Dims& shape, std::optional<double> seed) {
    Builder& b = source.b;
    const Var u = uniform(source, shape, types::Float32, 0, 1, seed),
              v = uniform(source, shape, types::Float32, 0, 2 * std::numbers::pi, seed);
    const Var radius = b.call(Op::Sqrt, {mulBy(b, b.call(Op::Log, {sub(b, scalarLike(b, 1, u), u)}), -2)});
    return mul(b, radius, b.call(Op::Cos, {v}));
}

Var multinomial(const RandomSource& source, Var logits, const Expr& count, std::optional<double> seed) {
    Builder& b = source.b;
    const Var x = cast(b, logits, computeType(b, logits));
    CumAttrs attrs;
    attrs.axis = 1;
    const Var edges = b.call(Op::CumSum, {softmax(b, x, 1)}, attrs);
    const Var draws = uniform(source, {dim(b, x, 0), count}, b.failed() ? types::Float32 : b.dtype(x), 0, 1, seed);
    const Var passed = b.call(Op::GreaterEqual, {unsqueeze(b, draws, {2}), unsqueeze(b, edges, {1})});
    const Var picked = reduce(b, "sum", cast(b, passed, types::Int64), {2}, false);
    const Var last = b.scalarOf(dim(b, x, 1) - 1); // the edges may end just below one
    return minimum(b, picked, last);
}

} // namespace lathe::frontend
