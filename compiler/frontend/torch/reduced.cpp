// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/reduced.h"

namespace lathe::frontend::torch {

Var reduceOver(Builder& b, const std::string& kind, Var x, const Ints& axes, bool keepDims) {
    return axes.empty() ? x : reduce(b, kind, x, axes, keepDims);
}

Expr countOf(Builder& b, Var x, const Ints& axes) {
    Dims reduced;
    for (const int64_t axis : axes)
        reduced.push_back(dim(b, x, axis));
    return product(reduced);
}

std::vector<Var> alongDim(Call& call, Var x, int64_t dim, const std::function<std::vector<Var>(Var, int64_t)>& fn) {
    Builder& b = call.b;
    if (call.failed())
        return {};
    const int64_t rank = b.rank(x), axis = call.axis(dim, rank);
    if (call.failed())
        return {};
    if (rank > 0)
        return fn(x, axis);
    std::vector<Var> results = fn(reshape(b, x, {1}), axis);
    for (Var& result : results)
        result = asScalar(b, result);
    return results;
}

} // namespace lathe::frontend::torch
