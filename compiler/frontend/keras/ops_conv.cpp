// SPDX-License-Identifier: Apache-2.0
//
// Convolutions. Kernels are brought to Relay's order of axes, images where their channels lie last.
#include "frontend/common/transposed_conv.h"
#include "frontend/keras/functions.h"
#include "frontend/keras/ops.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

constexpr const char* wrongWindow = "correct the model's config";

Dims kernelDims(const Ints& kernel, Expr a, Expr c) {
    Dims dims = toDims(kernel);
    dims.push_back(std::move(a));
    dims.push_back(std::move(c));
    return dims;
}

/// [kernel…, a, b] as [b, a, kernel…].
Var resultsFirst(Builder& b, Var kernel) {
    if (b.failed())
        return {};
    const int64_t rank = b.rank(kernel);
    Ints axes = {rank - 1, rank - 2};
    std::ranges::copy(iotaInts(0, rank - 2), std::back_inserter(axes));
    return transpose(b, kernel, axes);
}

/// The layer's bias and activation over y [N, C, …], given in the layer's order of axes.
void finish(Layer& layer, Var y, const Expr& channels) {
    Builder& b = layer.b;
    const Var sum = addChannelBias(b, y, layer.optionalWeight("bias", {channels}));
    const Var placed = layer.asGiven(b.failed() ? sum : cast(b, sum, layer.computed()));
    layer.give(activated(layer, "activation", placed));
}

/// Kernels of one channel each, side by side: [kernel…, C, m] as [C · m, 1, kernel…].
Var depthwiseWeights(Builder& b, Var kernel) {
    if (b.failed())
        return {};
    const int64_t rank = b.rank(kernel);
    Ints axes = {rank - 2, rank - 1};
    std::ranges::copy(iotaInts(0, rank - 2), std::back_inserter(axes));
    const Dims shape = b.shape(kernel);
    Dims wanted = {arith::simplify(shape[shape.size() - 2] * shape.back()), 1};
    wanted.insert(wanted.end(), shape.begin(), shape.end() - 2);
    return reshape(b, transpose(b, kernel, axes), wanted);
}

/// The channels of x [N, C, …], which must be known; 0 after a fault.
int64_t channelsOf(Layer& layer, Var x) {
    const auto channels = layer.b.failed() ? std::nullopt : arith::asInt(dim(layer.b, x, 1));
    if (channels && *channels > 0)
        return *channels;
    layer.node.refuse("the number of the input's channels must be known when the model is compiled",
                      "give the model's input a shape");
    return 0;
}

Var depthwise(Layer& layer, Var x, const std::string& name, const Ints& size, int64_t channels) {
    Builder& b = layer.b;
    const Var kernel = layer.weight(name, kernelDims(size, channels, layer.node.integer("depth_multiplier", 1)));
    const auto window = layer.window(x, size, Ints(size.size(), 1));
    return window && !b.failed() ? convolution(b, x, depthwiseWeights(b, kernel), *window, channels) : Var{};
}

void convolve(NodeReader& node, size_t spatial) {
    Layer layer(node);
    Builder& b = node.b;
    const Var x = layer.image(layer.in(), spatial);
    const Ints size = layer.extents("kernel_size", spatial, 1);
    const int64_t groups = node.integer("groups", 1), filters = node.integer("filters", 0);
    const int64_t channels = channelsOf(layer, x);
    if (b.failed())
        return;
    if (groups < 1 || channels % groups != 0)
        return node.fail(fmt::format("{} channels do not divide into {} groups", channels, groups), wrongWindow);
    const Var kernel = layer.weight("kernel", kernelDims(size, channels / groups, filters));
    const auto window = layer.window(x, size, Ints(spatial, 1));
    if (window && !b.failed())
        finish(layer, convolution(b, x, resultsFirst(b, kernel), *window, groups), filters);
}

void convolveEach(NodeReader& node, size_t spatial) {
    Layer layer(node);
    const Var x = layer.image(layer.in(), spatial);
    const Ints size = layer.extents("kernel_size", spatial, 1);
    const int64_t channels = channelsOf(layer, x);
    const Var y = depthwise(layer, x, "kernel", size, channels);
    if (!node.failed())
        finish(layer, y, dim(node.b, y, 1));
}

void convolveSeparably(NodeReader& node, size_t spatial) {
    Layer layer(node);
    Builder& b = node.b;
    const Var x = layer.image(layer.in(), spatial);
    const Ints size = layer.extents("kernel_size", spatial, 1);
    const int64_t channels = channelsOf(layer, x), filters = node.integer("filters", 0);
    const Var each = depthwise(layer, x, "depthwise_kernel", size, channels);
    if (b.failed())
        return;
    const Var kernel = layer.weight("pointwise_kernel", kernelDims(Ints(spatial, 1), dim(b, each, 1), filters));
    WindowAttributes point{Ints(spatial, 1), Ints(spatial, 1), Ints(spatial, 1), {}, Padding::None};
    if (!b.failed())
        finish(layer, convolution(b, each, resultsFirst(b, kernel), windowOver(spatialOf(b, each), point), 1), filters);
}

/// How large a transposed convolution makes a dim.
Expr transposedSize(const Expr& from, int64_t kernel, int64_t stride, int64_t dilation, bool isSame,
                    std::optional<int64_t> outputPadding) {
    const int64_t reach = (kernel - 1) * dilation + 1;
    if (outputPadding)
        return arith::simplify((from - 1) * stride + reach - 2 * (isSame ? reach / 2 : 0) + *outputPadding);
    return arith::simplify(isSame ? from * stride : from * stride + std::max<int64_t>(reach - stride, 0));
}

void convolveTransposed(NodeReader& node, size_t spatial) {
    Layer layer(node);
    Builder& b = node.b;
    Var x = layer.image(layer.in(), spatial);
    const Ints size = layer.extents("kernel_size", spatial, 1), strides = layer.extents("strides", spatial, 1);
    const Ints dilations = layer.extents("dilation_rate", spatial, 1);
    const bool hasOutputPadding = !layer.integers("output_padding").empty();
    const Ints outputPadding = layer.extents("output_padding", spatial, 0);
    const int64_t filters = node.integer("filters", 0);
    if (b.failed())
        return;
    const Var kernel = layer.weight("kernel", kernelDims(size, filters, dim(b, x, 1)));
    const std::string padding = node.text("padding", "valid");
    WindowAttributes attributes{size, strides, dilations, {}, padding == "same" ? Padding::SameUpper : Padding::None};
    if (b.failed())
        return;
    if (!isInRange(attributes) || std::ranges::any_of(outputPadding, [](int64_t p) { return p < 0 || p > mostExtent; }))
        return node.fail("kernel, strides and dilations must be positive", wrongWindow);
    Dims sizes;
    for (size_t i = 0; i < spatial; ++i) {
        const Expr from = dim(b, x, static_cast<int64_t>(i) + 2);
        sizes.push_back(transposedSize(from, size[i], strides[i], dilations[i], padding == "same",
                                       hasOutputPadding ? std::optional(outputPadding[i]) : std::nullopt));
        x = assume(b, x, arith::ge(sizes.back(), 0), "the size of the result is not negative");
        if (strides[i] > 1)
            x = assume(b, x, arith::gt(from, 0),
                       fmt::format("dim {} of the input is not 0, as a stride needs it", i + 1));
    }
    Ints axes = {static_cast<int64_t>(spatial), static_cast<int64_t>(spatial) + 1};
    std::ranges::copy(iotaInts(0, static_cast<int64_t>(spatial)), std::back_inserter(axes));
    const Var y = transposedConvolution(b, x, transpose(b, kernel, axes), {size, strides, dilations}, 1,
                                        windowOver(sizes, attributes).before, sizes);
    if (!b.failed())
        finish(layer, y, filters);
}

} // namespace

void convertConv1D(NodeReader& node, Builder&) {
    convolve(node, 1);
}
void convertConv2D(NodeReader& node, Builder&) {
    convolve(node, 2);
}
void convertConv3D(NodeReader& node, Builder&) {
    convolve(node, 3);
}
void convertDepthwiseConv1D(NodeReader& node, Builder&) {
    convolveEach(node, 1);
}
void convertDepthwiseConv2D(NodeReader& node, Builder&) {
    convolveEach(node, 2);
}
void convertSeparableConv1D(NodeReader& node, Builder&) {
    convolveSeparably(node, 1);
}
void convertSeparableConv2D(NodeReader& node, Builder&) {
    convolveSeparably(node, 2);
}
void convertConv1DTranspose(NodeReader& node, Builder&) {
    convolveTransposed(node, 1);
}
void convertConv2DTranspose(NodeReader& node, Builder&) {
    convolveTransposed(node, 2);
}
void convertConv3DTranspose(NodeReader& node, Builder&) {
    convolveTransposed(node, 3);
}

} // namespace lathe::frontend::keras
