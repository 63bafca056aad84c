// SPDX-License-Identifier: Apache-2.0
//
// Resizing of images that have their channels last.
#include "frontend/common/channels.h"
#include "frontend/common/resize.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/window.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {

using namespace relay;

namespace {

constexpr int64_t heightAxis = 2, widthAxis = 3;

/// The image with its channels first; attrs get the sizes of the result, height and width from operand 1.
Var resizable(NodeReader& node, Builder& b, Var image, ResizeAttrs& attrs) {
    if (!isOfRank(node, image, 4))
        return {};
    const Dims sizes = b.symbolic(node.in(1), "size");
    if (b.failed())
        return {};
    if (sizes.size() != 2) {
        node.fail(fmt::format("there are {} sizes where height and width are needed", sizes.size()),
                  "the model is malformed; export it again");
        return {};
    }
    Var x = channelsFirst(b, image);
    for (const Expr& size : sizes)
        x = assume(b, x, arith::ge(size, 0),
                   fmt::format("the size of the result, {}, is not negative", arith::sizeText(size)));
    return setSizes(b, x, {heightAxis, widthAxis}, sizes, attrs);
}

} // namespace

void convertResizeBilinear(NodeReader& node, Builder& b) {
    const bool aligned = node.integer("align_corners", 0) != 0, halfPixel = node.integer("half_pixel_centers", 0) != 0;
    if (aligned && halfPixel)
        return node.fail("align_corners and half_pixel_centers exclude each other",
                         "clear one of them when exporting the model");
    ResizeAttrs attrs;
    attrs.mode = "linear";
    attrs.coordinate = aligned ? "align_corners" : halfPixel ? "half_pixel" : "asymmetric";
    const Var x = resizable(node, b, realOf(node, 0), attrs);
    const Var y = b.call(Op::Resize, {x}, attrs);
    give(node, 0, channelsLast(b, y));
}

void convertResizeNearestNeighbor(NodeReader& node, Builder& b) {
    const bool aligned = node.integer("align_corners", 0) != 0, halfPixel = node.integer("half_pixel_centers", 0) != 0;
    Movement moved(node, {0});
    ResizeAttrs attrs;
    attrs.coordinate = aligned ? "align_corners" : halfPixel ? "tf_half_pixel_for_nn" : "asymmetric";
    attrs.nearest = aligned ? "round_prefer_ceil" : "floor";
    const Var x = resizable(node, b, moved.in(0), attrs);
    if (b.failed())
        return;
    const Var y = aligned && halfPixel ? nearestOfBoth(b, nearestOfBoth(b, x, heightAxis, attrs.sizes[heightAxis]),
                                                       widthAxis, attrs.sizes[widthAxis])
                                       : b.call(Op::Resize, {x}, attrs);
    moved.give(0, channelsLast(b, y));
}

} // namespace lathe::frontend::tflite
