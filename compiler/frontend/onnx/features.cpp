// SPDX-License-Identifier: Apache-2.0
#include "frontend/onnx/features.h"

#include <cstdint>
#include <fmt/format.h>

namespace lathe::frontend::onnx {

Var asReal(Builder& b, Var x) {
    return b.failed() || b.dtype(x) == types::Float64 ? x : cast(b, x, types::Float32);
}

Var realTensor(NodeReader& node, Builder& b, const char* name, Var x, const std::vector<int64_t>& shape) {
    const std::vector<double> values = node.reals(name);
    size_t count = 1;
    for (const int64_t size : shape)
        if (__builtin_mul_overflow(count, static_cast<size_t>(size), &count))
            count = SIZE_MAX; // more than any list has
    if (values.size() != count) {
        node.fail(fmt::format("'{}' has {} entries where {} are needed", name, values.size(), count),
                  "the model is malformed; export it again");
        return {};
    }
    return b.failed() ? Var{} : realConstant(b, b.dtype(x), shape, values);
}

std::optional<int64_t> featuresOf(NodeReader& node, Builder& b, Var x) {
    if (!node.needRank(x, 1))
        return std::nullopt;
    const auto columns = arith::asInt(dim(b, x, -1));
    if (!columns || b.rank(x) > 2)
        node.refuse(fmt::format("the input {} is no matrix with a known number of columns", text(b.shape(x))));
    return b.failed() ? std::nullopt : columns;
}

Var asRows(Builder& b, Var x) {
    return b.failed() || b.rank(x) == 2 ? x : unsqueeze(b, x, {0});
}

} // namespace lathe::frontend::onnx
