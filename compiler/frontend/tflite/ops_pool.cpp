// SPDX-License-Identifier: Apache-2.0
//
// Pools over height and width of images that have their channels last. Padding counts in none of them.
#include "frontend/common/channels.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/window.h"

namespace lathe::frontend::tflite {

namespace {

/// The pool of an image by the node's options.
Var pooled(NodeReader& node, Builder& b, Op op, Var image) {
    if (!isOfRank(node, image, 4))
        return {};
    const auto window = readWindow(node, {node.integer("filter_height", 0), node.integer("filter_width", 0)});
    if (!window)
        return {};
    const Var x = channelsFirst(b, image);
    return channelsLast(b, b.call(op, {x}, poolAttrs(windowOver(spatialDims(b, x), *window))));
}

} // namespace

/// Without an activation the results are elements of the operand, which need no rounding.
void convertMaxPool2d(NodeReader& node, Builder& b) {
    if (node.text("fused_activation_function", "NONE") != "NONE")
        return give(node, 0, activated(node, pooled(node, b, Op::MaxPool, realOf(node, 0))));
    Movement moved(node, {0});
    moved.give(0, pooled(node, b, Op::MaxPool, moved.in(0)));
}

void convertAveragePool2d(NodeReader& node, Builder& b) {
    give(node, 0, activated(node, pooled(node, b, Op::AvgPool, realOf(node, 0))));
}

/// The root of the mean of squares.
void convertL2Pool2d(NodeReader& node, Builder& b) {
    const Var norm = inSingle(b, realOf(node, 0),
                              [&](Var x) { return b.call(Op::Sqrt, {pooled(node, b, Op::AvgPool, mul(b, x, x))}); });
    give(node, 0, activated(node, norm));
}

} // namespace lathe::frontend::tflite
