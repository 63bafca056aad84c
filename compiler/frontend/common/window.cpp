// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/window.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend {

bool isInRange(const WindowAttributes& attributes) {
    const auto fits = [](int64_t extent) { return extent >= 1 && extent <= mostExtent; };
    return std::ranges::all_of(attributes.kernel, fits) && std::ranges::all_of(attributes.strides, fits) &&
           std::ranges::all_of(attributes.dilations, fits);
}

bool isOfRank(NodeReader& node, Var x, int rank) {
    if (node.failed())
        return false;
    if (node.b.rank(x) == rank)
        return true;
    node.fail(fmt::format("the operand {} has rank {} where {} is needed", text(node.b.shape(x)), node.b.rank(x), rank),
              "the model is malformed; export it again");
    return false;
}

Dims spatialDims(Builder& b, Var x) {
    const Dims shape = b.shape(x);
    return shape.size() < 2 ? Dims{} : Dims(shape.begin() + 2, shape.end());
}

Window windowOver(const Dims& sizes, const WindowAttributes& attributes) {
    Window window{attributes.kernel, attributes.strides, attributes.dilations, {}, {}};
    const bool upper = attributes.padding == Padding::SameUpper, lower = attributes.padding == Padding::SameLower;
    for (size_t i = 0; i < sizes.size(); ++i) {
        Expr before = 0, after = 0;
        if (attributes.padding == Padding::Given) {
            before = attributes.pads[i];
            after = attributes.pads[i + sizes.size()];
        } else if (upper || lower) {
            const int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
            const Expr results = arith::ceilDiv(sizes[i], window.strides[i]);
            const Expr total = arith::simplify(arith::max((results - 1) * window.strides[i] + reach - sizes[i], 0));
            const Expr smaller = arith::simplify(arith::floorDiv(total, 2));
            const Expr larger = arith::simplify(total - smaller);
            before = upper ? smaller : larger;
            after = upper ? larger : smaller;
        }
        window.before.push_back(before);
        window.after.push_back(after);
    }
    return window;
}

std::optional<Ints> kernelOf(Builder& b, Var weights) {
    Ints kernel;
    const Dims shape = b.shape(weights);
    for (size_t i = 2; i < shape.size(); ++i) {
        const auto size = arith::asInt(shape[i]);
        if (!size) {
            b.fail("the size of the kernel must be known when the model is compiled", {}, ErrorKind::Unsupported);
            return std::nullopt;
        }
        kernel.push_back(*size);
    }
    return kernel;
}

Var convolution(Builder& b, Var x, Var weights, const Window& window, int64_t groups, DataType out) {
    relay::ConvAttrs attrs;
    attrs.strides = window.strides;
    attrs.dilations = window.dilations;
    attrs.before = window.before;
    attrs.after = window.after;
    attrs.groups = groups;
    attrs.outDtype = productType(b, x, weights, out);
    return b.call(Op::Conv, {x, weights}, attrs);
}

Var addChannelBias(Builder& b, Var x, Var bias) {
    return !bias || b.failed() ? x : add(b, x, fittedAlong(b, cast(b, bias, b.dtype(x)), 1, x));
}

relay::PoolAttrs poolAttrs(const Window& window) {
    relay::PoolAttrs attrs;
    attrs.kernel = window.kernel;
    attrs.strides = window.strides;
    attrs.dilations = window.dilations;
    attrs.before = window.before;
    attrs.after = window.after;
    return attrs;
}

} // namespace lathe::frontend
