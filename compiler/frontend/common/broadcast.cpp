// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/broadcast.h"

#include "relay/rules.h"

namespace lathe::frontend {

Dims broadcastDims(Builder& b, const std::vector<Dims>& all) {
    Dims shape;
    for (const Dims& dims : all) {
        if (b.failed())
            return {};
        Result<Dims> both = relay::broadcastShapes(shape, dims, nullptr);
        if (!both) {
            b.fail(both.error().what, both.error().hint);
            return {};
        }
        shape = *std::move(both);
    }
    return shape;
}

std::vector<Var> broadcastTogether(Builder& b, std::vector<Var> all) {
    if (b.failed())
        return all;
    std::vector<Dims> shapes;
    for (const Var& x : all)
        shapes.push_back(b.shape(x));
    const Dims shape = broadcastDims(b, shapes);
    for (Var& x : all)
        x = expand(b, x, shape);
    return all;
}

} // namespace lathe::frontend
