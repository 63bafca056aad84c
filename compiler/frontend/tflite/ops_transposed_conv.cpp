// SPDX-License-Identifier: Apache-2.0
//
// Transposed convolutions. The model says how large the result is; what the taps reach beyond it is cut as a
// convolution of the result would be padded.
#include "frontend/common/channels.h"
#include "frontend/common/transposed_conv.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/window.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::tflite {

namespace {

/// What becomes of the spatial dims: what is cut before the result, and its sizes.
struct ResultOfTaps {
    Dims cut, sizes;
};

/// x [N, C, …] by weights [M, C, kernel…] with a bias; the result has its channels last.
Var transposedSum(Builder& b, Var x, Var weights, Var bias, const WindowAttributes& window,
                  const ResultOfTaps& result) {
    for (size_t i = 0; i < result.sizes.size(); ++i) {
        x = assume(b, x, arith::ge(result.sizes[i], 0),
                   fmt::format("size {} of the result, {}, is not negative", i + 1, arith::sizeText(result.sizes[i])));
        if (window.strides[i] > 1) // the places that a stride makes of none are not counted
            x = assume(b, x, arith::gt(dim(b, x, static_cast<int64_t>(i) + 2), 0),
                       fmt::format("dim {} of the input is not 0, as a stride needs it", i + 1));
    }
    if (b.failed())
        return {};
    const DataType dtype = b.dtype(x), sums = bias ? computeType(b, x) : types::Void;
    const Var product = transposedConvolution(b, x, weights, {window.kernel, window.strides, window.dilations}, 1,
                                              result.cut, result.sizes, sums);
    const Var sum = addChannelBias(b, product, bias);
    return b.failed() ? Var{} : channelsLast(b, cast(b, sum, dtype));
}

/// Gives the result, of the dims that operand 0 holds, for the image, operand 2, and weights [M, C, kernel…].
void giveTransposed(NodeReader& node, Builder& b, Var image, Var weights) {
    const Var bias = optionalReal(node, 3);
    const Var x = channelsFirst(b, image);
    const Dims shape = b.symbolic(node.in(0), "size");
    if (b.failed())
        return;
    if (static_cast<int>(shape.size()) != b.rank(x))
        return node.fail(fmt::format("the result has {} dims, the input has {}", shape.size(), b.rank(x)),
                         "the model is malformed; export it again");
    const auto kernel = kernelOf(b, weights);
    const auto window = kernel ? readWindow(node, *kernel) : std::nullopt;
    if (!window)
        return;
    const Dims sizes(shape.begin() + 1, shape.end() - 1);
    const Var sum = transposedSum(b, x, weights, bias, *window, {windowOver(sizes, *window).before, sizes});
    if (!b.failed())
        give(node, 0, activated(node, withDims(b, sum, shape)));
}

} // namespace

/// The filter is [results, height, width, channels].
void convertTransposeConv(NodeReader& node, Builder& b) {
    const Var filter = realOf(node, 1), image = realOf(node, 2);
    if (isOfRank(node, image, 4) && isOfRank(node, filter, 4))
        giveTransposed(node, b, image, channelsFirst(b, filter));
}

/// The filter is [depth, height, width, results, channels].
void convertConv3dTranspose(NodeReader& node, Builder& b) {
    const Var filter = realOf(node, 1), image = realOf(node, 2);
    if (isOfRank(node, image, 5) && isOfRank(node, filter, 5))
        giveTransposed(node, b, image, transpose(b, filter, {3, 4, 0, 1, 2}));
}

/// MediaPipe's, as TRANSPOSE_CONV, but the result's size follows from the input's: SAME cuts what the taps of the last
/// place reach beyond its stride. Options: padding, stride of the width, of the height.
void convertConvolution2DTransposeBias(NodeReader& node, Builder& b) {
    const Var image = realOf(node, 0), filter = realOf(node, 1), bias = realOf(node, 2);
    if (!isOfRank(node, image, 4) || !isOfRank(node, filter, 4))
        return;
    const Var x = channelsFirst(b, image), weights = channelsFirst(b, filter);
    const auto options = readStruct(node, 3);
    const auto kernel = options ? kernelOf(b, weights) : std::nullopt;
    const auto window =
        kernel ? windowOfStruct(node, (*options)[0], *kernel, {(*options)[2], (*options)[1]}) : std::nullopt;
    if (!window)
        return;
    ResultOfTaps result;
    const Dims from = spatialDims(b, x);
    for (size_t i = 0; i < from.size(); ++i) {
        const int64_t stride = window->strides[i], reach = window->kernel[i];
        const Expr last = from[i] - 1;
        const Expr total = window->padding == Padding::None
                               ? Expr(0)
                               : arith::max(Expr(reach - 1) - arith::floorMod(last, Expr(stride)), 0);
        result.cut.push_back(arith::simplify(arith::floorDiv(total, 2)));
        result.sizes.push_back(arith::simplify(last * stride + reach - total));
    }
    give(node, 0, transposedSum(b, x, weights, bias, *window, result));
}

} // namespace lathe::frontend::tflite
