// SPDX-License-Identifier: Apache-2.0
//
// Convolutions. Filters are [kernel…, channels, results] whatever the order of the image's axes.
#include "frontend/common/transposed_conv.h"
#include "frontend/tensorflow/ops.h"
#include "frontend/tensorflow/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::tensorflow {
namespace {

constexpr const char* badModel = "the model is malformed; export it again";

/// A filter as [results, channels, kernel…].
Var weightsOf(Builder& b, Var filter) {
    const int64_t rank = b.failed() ? 2 : b.rank(filter);
    Ints order = {rank - 1, rank - 2};
    for (int64_t i = 0; i < rank - 2; ++i)
        order.push_back(i);
    return transpose(b, filter, order);
}

void giveConv(NodeReader& node, Builder& b, Var x, Var weights, int64_t groups) {
    const auto kernel = kernelOf(b, weights);
    const auto window = kernel ? readWindow(node, *kernel) : std::nullopt;
    if (window && !b.failed())
        node.set(0, imageOut(node, b, convolution(b, x, weights, windowOver(spatialDims(b, x), *window), groups)));
}

/// Of as many groups as the filter's channels ask for.
void giveConvOfRank(NodeReader& node, Builder& b, int rank) {
    const Var image = node.in(0), filter = node.in(1);
    if (!isOfRank(node, image, rank) || !isOfRank(node, filter, rank))
        return;
    const Var x = imageIn(node, b, image), weights = weightsOf(b, filter);
    const auto all = arith::asInt(dim(b, x, 1)), own = arith::asInt(dim(b, weights, 1));
    if (all && own && (*own < 1 || *all % *own != 0))
        return node.fail(fmt::format("the input has {} channels, the filter has {}", *all, *own), badModel);
    giveConv(node, b, x, weights, all && own ? std::max<int64_t>(*all / *own, 1) : 1);
}

/// The gradient of a convolution by its input: the result has the dims that operand 0 holds.
void giveTransposedOfRank(NodeReader& node, Builder& b, int rank) {
    const Var filter = node.in(1), image = node.in(2);
    const Dims shape = integersOf(node, 0, "size");
    if (!isOfRank(node, image, rank) || !isOfRank(node, filter, rank))
        return;
    const bool first = hasChannelsFirst(node);
    const size_t count = static_cast<size_t>(rank) - 2;
    // [kernel…, results, channels] as [results, channels, kernel…].
    Ints order = {rank - 2, rank - 1};
    for (size_t i = 0; i < count; ++i)
        order.push_back(static_cast<int64_t>(i));
    const Var weights = transpose(b, filter, order);
    Var x = imageIn(node, b, image);
    const auto kernel = kernelOf(b, weights);
    const auto window = kernel ? readWindow(node, *kernel) : std::nullopt;
    if (!window || b.failed())
        return;
    // Old exporters say the sizes of space alone.
    if (shape.size() != static_cast<size_t>(rank) && shape.size() != count)
        return node.fail(fmt::format("the result has {} dims, the input has {}", shape.size(), rank), badModel);
    const auto begin = shape.begin() + (shape.size() == count ? 0 : first ? 2 : 1);
    const Dims sizes(begin, begin + static_cast<std::ptrdiff_t>(count));
    for (size_t i = 0; i < count; ++i) {
        x = assume(b, x, arith::ge(sizes[i], 0), fmt::format("size {} of the result is not negative", i + 1));
        if (window->strides[i] > 1) // the places that a stride makes of none are not counted
            x = assume(b, x, arith::gt(dim(b, x, static_cast<int64_t>(i) + 2), 0),
                       fmt::format("dim {} of the input is not 0, as a stride needs it", i + 1));
    }
    if (!b.failed())
        node.set(0, imageOut(node, b,
                             transposedConvolution(b, x, weights, {window->kernel, window->strides, window->dilations},
                                                   1, windowOver(sizes, *window).before, sizes)));
}

} // namespace

void convertConv2D(NodeReader& node, Builder& b) {
    giveConvOfRank(node, b, 4);
}
void convertConv3D(NodeReader& node, Builder& b) {
    giveConvOfRank(node, b, 5);
}

/// The filter is [height, width, channels, results of each].
void convertDepthwiseConv2dNative(NodeReader& node, Builder& b) {
    const Var image = node.in(0), filter = node.in(1);
    if (!isOfRank(node, image, 4) || !isOfRank(node, filter, 4))
        return;
    const auto channels = arith::asInt(dim(b, filter, 2));
    if (!channels || *channels < 1)
        return node.refuse(fmt::format("the filter has {} channels", arith::sizeText(dim(b, filter, 2))),
                           "their number must be known when the model is compiled, and not be 0");
    const Dims shape = b.shape(filter);
    const Var flat = reshape(b, filter, {shape[0], shape[1], 1, arith::simplify(shape[2] * shape[3])});
    giveConv(node, b, imageIn(node, b, image), weightsOf(b, flat), *channels);
}

void convertConv2DBackpropInput(NodeReader& node, Builder& b) {
    giveTransposedOfRank(node, b, 4);
}
void convertConv3DBackpropInputV2(NodeReader& node, Builder& b) {
    giveTransposedOfRank(node, b, 5);
}

} // namespace lathe::frontend::tensorflow
