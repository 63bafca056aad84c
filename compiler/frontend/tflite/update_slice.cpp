// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/update_slice.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {

Dims startsWithin(const Dims& starts, const Dims& shape, const Dims& sizes) {
    Dims within;
    for (size_t i = 0; i < starts.size(); ++i)
        within.push_back(arith::simplify(arith::max(arith::min(starts[i], shape[i] - sizes[i]), 0)));
    return within;
}

Var withUpdate(Builder& b, Var x, Var update, const Dims& starts) {
    if (b.failed())
        return {};
    const Dims shape = b.shape(x), sizes = b.shape(update);
    if (sizes.size() != shape.size() || starts.size() != shape.size()) {
        b.fail(
            fmt::format("an update {} at {} places does not fit a tensor {}", text(sizes), starts.size(), text(shape)));
        return {};
    }
    for (size_t i = 0; i < shape.size(); ++i)
        x = assume(b, x, arith::le(sizes[i], shape[i]),
                   fmt::format("the update {} fits the tensor {}", text(sizes), text(shape)));
    const Dims before = startsWithin(starts, shape, sizes);
    Dims after;
    for (size_t i = 0; i < shape.size(); ++i)
        after.push_back(arith::simplify(shape[i] - sizes[i] - before[i]));
    const auto placed = [&](Var part) { return withDims(b, pad(b, part, "constant", before, after), shape); };
    return where(b, placed(full(b, b.scalar(1, types::Bool), sizes)), placed(update), x);
}

} // namespace lathe::frontend::tflite
