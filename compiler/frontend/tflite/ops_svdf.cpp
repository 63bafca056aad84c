// SPDX-License-Identifier: Apache-2.0
//
// SVDF: a layer whose weights are a product of some over features and some over time, of which it remembers what the
// first gave in the last steps.
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/states.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {

void convertSvdf(NodeReader& node, Builder& b) {
    const Var x = realOf(node, 0), overFeatures = realOf(node, 1), overTime = realOf(node, 2),
              bias = optionalReal(node, 3);
    const int64_t rank = node.integer("rank", 0);
    if (!node.needRank(x, 2) || !node.needRank(overFeatures, 2) || !node.needRank(overTime, 2))
        return;
    const Expr batch = dim(b, x, 0), filters = dim(b, overFeatures, 0), memory = dim(b, overTime, 1);
    const auto count = arith::asInt(filters), steps = arith::asInt(memory);
    if (!count || !steps || rank < 1 || *count % rank != 0 || *steps < 1)
        return node.fail(fmt::format("{} filters of rank {} with {} steps of memory", arith::toString(filters), rank,
                                     arith::toString(memory)));
    overStates(node, {4}, [&](const std::vector<Var>& before) {
        const Dims shape = {batch, filters, memory};
        const Var old = before[0] ? reshape(b, before[0], shape) : full(b, scalarLike(b, 0, x), shape);
        const Var fresh = unsqueeze(b, matmul(b, x, overFeatures, false, true), {2});
        const Var state = concat(b, {sliceAxis(b, old, 2, 1, *steps - 1), fresh}, 2);
        const Var seen = reduce(b, "sum", mul(b, state, withDims(b, overTime, {filters, memory})), {2}, false);
        Var sum = reduce(b, "sum", reshape(b, seen, {batch, *count / rank, rank}), {2}, false);
        if (bias)
            sum = add(b, sum, bias);
        give(node, 0, activated(node, sum));
        return std::vector<Var>{reshape(b, state, {batch, *count * *steps})};
    });
}

} // namespace lathe::frontend::tflite
