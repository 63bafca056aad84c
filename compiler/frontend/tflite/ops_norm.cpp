// SPDX-License-Identifier: Apache-2.0
//
// Normalizations over channels, which are the last dim.
#include "frontend/common/channels.h"
#include "frontend/common/local_response.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {

void convertL2Normalization(NodeReader& node, Builder& b) {
    constexpr double leastNorm = 1e-6; // zeros stay zeros
    const Var x = realOf(node, 0);
    if (!node.needRank(x, 1))
        return;
    const Var y = inSingle(b, x, [&](Var v) {
        const Var norm = b.call(Op::Sqrt, {reduce(b, "sum", mul(b, v, v), {b.rank(v) - 1}, true)});
        return div(b, v, maximum(b, norm, scalarLike(b, leastNorm, norm)));
    });
    give(node, 0, activated(node, y));
}

/// Squares of as many channels on both sides, as TensorFlow defines the operator and as LiteRT's kernels compute it but for the
/// reference one, which leaves the last of them out.
void convertLocalResponseNormalization(NodeReader& node, Builder& b) {
    const Var image = realOf(node, 0);
    if (!node.needRank(image, 3))
        return;
    const int64_t radius = node.integer("radius", 0);
    if (radius < 0 || radius > 1 << 20)
        return node.fail(fmt::format("the radius is {}", radius), "the model is malformed; export it again");
    const double alpha = node.real("alpha", 0), bias = node.real("bias", 0), beta = node.real("beta", 0);
    const double count = 2 * static_cast<double>(radius) + 1;
    give(node, 0,
         channelsLast(b, localResponse(b, channelsFirst(b, image), radius, radius, alpha * count, bias, beta)));
}

} // namespace lathe::frontend::tflite
