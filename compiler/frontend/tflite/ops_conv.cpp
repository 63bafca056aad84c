// SPDX-License-Identifier: Apache-2.0
//
// Convolutions. Images have their channels last, and so have filters but for their order: each is brought to Relay's
// order, and the result back.
#include "frontend/common/channels.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/window.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::tflite {

namespace {

/// Gives the convolution of x [N, C, …] and weights [M, C / groups, kernel…] with the node's bias, operand 2, and
/// activation.
void giveConvolution(NodeReader& node, Builder& b, Var x, Var weights, int64_t groups) {
    const Var bias = optionalReal(node, 2);
    if (b.failed())
        return;
    const auto kernel = kernelOf(b, weights);
    const auto window = kernel ? readWindow(node, *kernel) : std::nullopt;
    if (!window)
        return;
    const DataType dtype = b.dtype(x), sums = bias ? computeType(b, x) : types::Void;
    const Var product = convolution(b, x, weights, windowOver(spatialDims(b, x), *window), groups, sums);
    const Var sum = addChannelBias(b, product, bias);
    if (!b.failed())
        give(node, 0, channelsLast(b, activated(node, cast(b, sum, dtype))));
}

/// How many groups there are where the weights are of so few of the input's channels.
std::optional<int64_t> groupsOf(NodeReader& node, Builder& b, Var x, Var weights) {
    const auto all = arith::asInt(dim(b, x, 1)), own = arith::asInt(dim(b, weights, 1));
    if (!all || !own)
        return 1;
    if (*own >= 1 && *all % *own == 0)
        return std::max<int64_t>(*all / *own, 1);
    node.fail(fmt::format("the input has {} channels, the filter has {}", *all, *own),
              "the model is malformed; export it again");
    return std::nullopt;
}

} // namespace

/// The filter is [results, height, width, channels].
void convertConv2d(NodeReader& node, Builder& b) {
    const Var image = realOf(node, 0), filter = realOf(node, 1);
    if (!isOfRank(node, image, 4) || !isOfRank(node, filter, 4))
        return;
    const Var x = channelsFirst(b, image), weights = channelsFirst(b, filter);
    if (const auto groups = groupsOf(node, b, x, weights))
        giveConvolution(node, b, x, weights, *groups);
}

/// The filter is [1, height, width, results]: as many results a channel, one channel's beside each other. The option
/// that says how many is not always right.
void convertDepthwiseConv2d(NodeReader& node, Builder& b) {
    const Var image = realOf(node, 0), filter = realOf(node, 1);
    if (!isOfRank(node, image, 4) || !isOfRank(node, filter, 4))
        return;
    const auto channels = arith::asInt(dim(b, image, 3));
    if (!channels || *channels < 1)
        return node.refuse(fmt::format("the input has {} channels", arith::sizeText(dim(b, image, 3))),
                           "their number must be known when the model is compiled, and not be 0");
    giveConvolution(node, b, channelsFirst(b, image), transpose(b, filter, {3, 0, 1, 2}), *channels);
}

/// The filter is [depth, height, width, channels, results].
void convertConv3d(NodeReader& node, Builder& b) {
    const Var image = realOf(node, 0), filter = realOf(node, 1);
    if (!isOfRank(node, image, 5) || !isOfRank(node, filter, 5))
        return;
    const Var x = channelsFirst(b, image), weights = transpose(b, filter, {4, 3, 0, 1, 2});
    if (const auto groups = groupsOf(node, b, x, weights))
        giveConvolution(node, b, x, weights, *groups);
}

} // namespace lathe::frontend::tflite
