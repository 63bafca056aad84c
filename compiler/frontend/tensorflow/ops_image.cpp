// SPDX-License-Identifier: Apache-2.0
//
// Images: sizes, colours, blocks.
#include "frontend/common/channels.h"
#include "frontend/common/depth_space.h"
#include "frontend/common/resize.h"
#include "frontend/tensorflow/ops.h"
#include "frontend/tensorflow/window.h"

#include <fmt/format.h>

#include <array>

namespace lathe::frontend::tensorflow {

using namespace relay;

namespace {

constexpr int64_t heightAxis = 2, widthAxis = 3;

struct Corners {
    bool aligned = false, halfPixel = false;
};

std::optional<Corners> readCorners(NodeReader& node) {
    const Corners corners{node.integer("align_corners", 0) != 0, node.integer("half_pixel_centers", 0) != 0};
    return node.failed() ? std::nullopt : std::optional(corners);
}

/// The image with its channels first, in float32 if it is of integers and they are to be mixed; attrs get the sizes of
/// the result, height and width from operand 1.
Var resizable(NodeReader& node, Builder& b, ResizeAttrs& attrs, bool mixes) {
    Var image = node.in(0);
    if (!isOfRank(node, image, 4))
        return {};
    const Dims sizes = integersOf(node, 1, "size");
    if (b.failed() || !areSizes(node, sizes, "sizes"))
        return {};
    if (sizes.size() != 2) {
        node.fail(fmt::format("there are {} sizes where height and width are needed", sizes.size()));
        return {};
    }
    if (mixes)
        image = cast(b, image, types::Float32);
    return setSizes(b, channelsFirst(b, image), {heightAxis, widthAxis}, sizes, attrs);
}

void giveResized(NodeReader& node, Builder& b, ResizeAttrs attrs, bool mixes) {
    const Var x = resizable(node, b, attrs, mixes);
    if (!b.failed())
        node.set(0, channelsLast(b, b.call(Op::Resize, {x}, attrs)));
}

void giveBlocks(NodeReader& node, Builder& b, Var (*fn)(Builder&, Var, int64_t, BlockOrder)) {
    const Var x = node.in(0);
    const int64_t block = node.integer("block_size", 0);
    if (!isOfRank(node, x, 4))
        return;
    if (block < 1 || block > 1 << 20)
        return node.fail(fmt::format("the block size is {}", block));
    node.set(0, imageOut(node, b, fn(b, imageIn(node, b, x), block, BlockOrder::PlaceFirst)));
}

} // namespace

void convertResizeBilinear(NodeReader& node, Builder& b) {
    const auto corners = readCorners(node);
    if (!corners)
        return;
    ResizeAttrs attrs;
    attrs.mode = "linear";
    attrs.coordinate = corners->aligned ? "align_corners" : corners->halfPixel ? "half_pixel" : "asymmetric";
    giveResized(node, b, std::move(attrs), true);
}

/// Its kernel is steeper where centers of pixels count.
void convertResizeBicubic(NodeReader& node, Builder& b) {
    const auto corners = readCorners(node);
    if (!corners)
        return;
    ResizeAttrs attrs;
    attrs.mode = "cubic";
    attrs.coordinate = corners->aligned ? "align_corners" : corners->halfPixel ? "half_pixel" : "asymmetric";
    attrs.cubicCoefficient = corners->halfPixel ? -0.5 : -0.75;
    attrs.excludeOutside = corners->halfPixel;
    giveResized(node, b, std::move(attrs), true);
}

void convertResizeNearestNeighbor(NodeReader& node, Builder& b) {
    const auto corners = readCorners(node);
    if (!corners)
        return;
    ResizeAttrs attrs;
    attrs.coordinate = corners->aligned ? "align_corners" : corners->halfPixel ? "tf_half_pixel_for_nn" : "asymmetric";
    attrs.nearest = corners->aligned ? "round_prefer_ceil" : "floor";
    if (!corners->aligned || !corners->halfPixel)
        return giveResized(node, b, std::move(attrs), false);
    const Var x = resizable(node, b, attrs, false);
    if (!b.failed())
        node.set(0, channelsLast(b, nearestOfBoth(b, nearestOfBoth(b, x, heightAxis, attrs.sizes[heightAxis]),
                                                  widthAxis, attrs.sizes[widthAxis])));
}

void convertDepthToSpace(NodeReader& node, Builder& b) {
    giveBlocks(node, b, depthToSpace);
}
void convertSpaceToDepth(NodeReader& node, Builder& b) {
    giveBlocks(node, b, spaceToDepth);
}

/// Each channel drawn away from its mean.
void convertAdjustContrastv2(NodeReader& node, Builder& b) {
    const Var x = node.in(0), factor = asScalar(b, node.in(1));
    if (!node.needRank(x, 3))
        return;
    const Var mean = reduce(b, "mean", x, {b.rank(x) - 3, b.rank(x) - 2}, true);
    node.set(0, b.failed() ? Var{} : add(b, mul(b, sub(b, x, mean), cast(b, factor, b.dtype(x))), mean));
}

namespace {

/// The three colours, each [..., 1].
std::array<Var, 3> coloursOf(Builder& b, Var x) {
    const int64_t last = b.rank(x) - 1;
    return {sliceAxis(b, x, last, 0, 1), sliceAxis(b, x, last, 1, 1), sliceAxis(b, x, last, 2, 1)};
}

bool isColoured(NodeReader& node, Builder& b, Var x) {
    if (!node.needRank(x, 1))
        return false;
    if (arith::isConst(dim(b, x, -1), 3))
        return true;
    node.fail("the last dim is not known to be the three colours");
    return false;
}

} // namespace

void convertRGBToHSV(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!isColoured(node, b, x))
        return;
    const auto [red, green, blue] = coloursOf(b, x);
    const Var value = maximum(b, red, maximum(b, green, blue)), least = minimum(b, red, minimum(b, green, blue));
    const Var range = sub(b, value, least), zero = scalarLike(b, 0, x), one = scalarLike(b, 1, x);
    const Var isGrey = equal(b, range, zero);
    const Var saturation = where(b, equal(b, value, zero), zero, div(b, range, value));
    const Var sixth = div(b, scalarLike(b, 1.0 / 6, x), where(b, isGrey, one, range));
    const auto part = [&](Var from, Var to, double offset) {
        return addTo(b, mul(b, sub(b, from, to), sixth), offset);
    };
    const Var hue = where(b, equal(b, value, red), part(green, blue, 0),
                          where(b, equal(b, value, green), part(blue, red, 2.0 / 6), part(red, green, 4.0 / 6)));
    const Var around = where(b, less(b, hue, zero), addTo(b, hue, 1), hue);
    node.set(0, concat(b, {where(b, isGrey, zero, around), saturation, value}, b.rank(x) - 1));
}

void convertHSVToRGB(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!isColoured(node, b, x))
        return;
    const auto [hue, saturation, value] = coloursOf(b, x);
    const Var zero = scalarLike(b, 0, x), one = scalarLike(b, 1, x);
    const Var six = mulBy(b, hue, 6);
    const auto clipped = [&](Var v) { return minimum(b, maximum(b, v, zero), one); };
    const auto distance = [&](double from) { return b.call(Op::Abs, {addTo(b, six, -from)}); };
    const Var red = clipped(addTo(b, distance(3), -1));
    const Var green = clipped(sub(b, scalarLike(b, 2, x), distance(2)));
    const Var blue = clipped(sub(b, scalarLike(b, 2, x), distance(4)));
    const auto mixed = [&](Var colour) { return mul(b, value, addTo(b, mul(b, addTo(b, colour, -1), saturation), 1)); };
    node.set(0, concat(b, {mixed(red), mixed(green), mixed(blue)}, b.rank(x) - 1));
}

} // namespace lathe::frontend::tensorflow
