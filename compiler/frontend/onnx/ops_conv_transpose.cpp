// SPDX-License-Identifier: Apache-2.0
//
// The gradient of a convolution: phases, or zeros between the inputs, then a convolution with flipped, transposed weights.
#include "frontend/common/emit.h"
#include "frontend/common/transposed_conv.h"
#include "frontend/onnx/ops.h"
#include "frontend/onnx/window.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

/// The node's attributes.
struct TransposedConv {
    Ints kernel;
    Steps steps;
    Ints extra;  // of each dim: elements more behind its end
    Ints wanted; // sizes of the result; empty: they follow from the pads
    std::string autoPad;
    int64_t groups = 1;

    bool isInRange(size_t dim) const {
        const int64_t stride = steps.strides[dim], dilation = steps.dilations[dim];
        return stride >= 1 && dilation >= 1 && kernel[dim] >= 1 && extra[dim] >= 0 &&
               std::max({stride, dilation, kernel[dim], extra[dim]}) <= mostExtent;
    }
};

std::optional<TransposedConv> readTransposed(NodeReader& node, Builder& b, Var weights, size_t spatial) {
    TransposedConv conv;
    const auto kernel = kernelOf(b, weights);
    conv.groups = node.integer("group", 1);
    const std::optional<Steps> steps = readSteps(node, spatial);
    conv.extra = node.integers("output_padding");
    conv.wanted = node.integers("output_shape");
    if (!kernel || !steps)
        return std::nullopt;
    conv.kernel = *kernel;
    conv.steps = *steps;
    if (conv.extra.empty())
        conv.extra.assign(spatial, 0);
    if (conv.wanted.size() == spatial + 2) // some files list batch and channels too
        conv.wanted.erase(conv.wanted.begin(), conv.wanted.begin() + 2);
    if (conv.kernel.size() != spatial || conv.extra.size() != spatial ||
        (!conv.wanted.empty() && conv.wanted.size() != spatial) || conv.groups < 1) {
        node.fail(fmt::format("the weights, output_padding or output_shape do not fit {} spatial dims", spatial));
        return std::nullopt;
    }
    conv.autoPad = node.text("auto_pad", "NOTSET");
    if (!padsFit(node, conv.steps.pads, conv.autoPad))
        return std::nullopt;
    return conv;
}

/// What becomes of the spatial dims.
struct ResultDims {
    Dims cut, sizes; // of what all inputs reach: elements before the result, and the result's

    void add(const TransposedConv& conv, size_t dim, const Expr& size) {
        const int64_t stride = conv.steps.strides[dim], extra = conv.extra[dim];
        const int64_t reach = (conv.kernel[dim] - 1) * conv.steps.dilations[dim];
        Expr cutBefore = conv.steps.pads[dim], cutAfter = conv.steps.pads[dim + conv.kernel.size()];
        if (!conv.wanted.empty() || conv.autoPad == "SAME_UPPER" || conv.autoPad == "SAME_LOWER") {
            const Expr results = conv.wanted.empty() ? arith::simplify(size * stride) : Expr(conv.wanted[dim]);
            const Expr total = arith::simplify((size - 1) * stride + extra + reach + 1 - results);
            const Expr half = arith::simplify(arith::floorDiv(total, 2));
            cutBefore = conv.autoPad == "SAME_UPPER" ? half : arith::simplify(total - half);
            cutAfter = arith::simplify(total - cutBefore);
        } else if (conv.autoPad == "VALID") {
            cutBefore = cutAfter = 0;
        }
        cut.push_back(cutBefore);
        sizes.push_back(arith::simplify((size - 1) * stride + extra + reach + 1 - cutBefore - cutAfter));
    }
};

} // namespace

void convertConvTranspose(NodeReader& node, Builder& b) {
    Var x = node.in(0), weights = node.in(1);
    const Var bias = node.optional(2);
    if (!node.needRank(x, 3) || !node.needRank(weights, 3))
        return;
    const Dims shape = b.shape(x);
    const size_t spatial = shape.size() - 2;
    const std::optional<TransposedConv> conv = readTransposed(node, b, weights, spatial);
    if (!conv)
        return;
    ResultDims dims;
    for (size_t i = 0; i < spatial; ++i) {
        if (!conv->isInRange(i))
            return node.fail("kernel, strides and dilations must be positive, output_padding not negative");
        const Expr size = shape[i + 2];
        // ONNX counts (size - 1) * stride + 1 places for the input, which is no number of places if it is empty.
        if (conv->steps.strides[i] > 1)
            x = assume(b, x, arith::gt(size, 0),
                       fmt::format("dim {} of {} is not 0, as a stride needs it", i + 2, text(shape)));
        dims.add(*conv, i, size);
    }
    weights = withResultsFirst(b, weights, conv->groups);
    const DataType sums = bias ? computeType(b, x) : types::Void;
    const Var y = transposedConvolution(b, x, weights, {conv->kernel, conv->steps.strides, conv->steps.dilations},
                                        conv->groups, dims.cut, dims.sizes, sums);
    node.set(0, b.failed() ? Var{} : cast(b, addChannelBias(b, y, bias), b.dtype(x)));
}

} // namespace lathe::frontend::onnx
