// SPDX-License-Identifier: Apache-2.0
//
// Images: sizes, colours, blocks.
#include "frontend/common/channels.h"
#include "frontend/common/depth_space.h"
#include "frontend/common/resize.h"
#include "frontend/tensorflow/ops.h"
#include "frontend/tensorflow/window.h"
#include "relay/attrs.h"

#include <fmt/format.h>

#include <algorithm>
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

namespace {

/// Where the rows of a box's cut, or its columns, lie in an image of `size`: [boxes, count], float32. bounds: [boxes, 1] each.
Var placesOfCut(Builder& b, Var low, Var high, const Expr& size, int64_t count) {
    const Var last = cast(b, b.scalarOf(arith::simplify(size - 1)), types::Float32);
    if (count == 1)
        return mulBy(b, mul(b, add(b, low, high), last), 0.5);
    const Var step = mulBy(b, mul(b, sub(b, high, low), last), 1 / static_cast<double>(count - 1));
    return add(b, mul(b, low, last), mul(b, iota(b, {Expr(1), Expr(count)}, 1, types::Float32), step));
}

/// For places along one dim of an image the two elements about them, and how far they are from the first.
struct Neighbours {
    Var before, after, share; // int64, int64, float32
    Var isInside;
};
Neighbours neighboursOf(Builder& b, Var places, const Expr& size, bool nearest) {
    const Var last = cast(b, b.scalarOf(arith::simplify(size - 1)), types::Float32), zero = scalarLike(b, 0, places);
    const Var isInside =
        b.call(Op::LogicalAnd, {b.call(Op::GreaterEqual, {places, zero}), b.call(Op::LessEqual, {places, last})});
    const Var kept = where(b, isInside, places, zero);
    const Var low = b.call(Op::Floor, {nearest ? addTo(b, kept, 0.5) : kept});
    const Var high = nearest ? low : b.call(Op::Ceil, {kept});
    return {cast(b, low, types::Int64), cast(b, high, types::Int64), nearest ? mulBy(b, kept, 0) : sub(b, kept, low),
            isInside};
}

} // namespace

/// Parts of images, each in the same size: the box [y, x, y, x] of the image that it names.
void convertCropAndResize(NodeReader& node, Builder& b) {
    const Var images = node.in(0), boxes = node.in(1), numbers = node.in(2);
    const auto sizes = knownIntegers(node, 3, "size");
    const std::string method = node.text("method", "bilinear");
    if (!sizes || !isOfRank(node, images, 4) || !node.needRank(boxes, 2) || !node.needRank(numbers, 1))
        return;
    if (sizes->size() != 2 || std::ranges::any_of(*sizes, [](int64_t size) { return size < 1 || size > mostExtent; }))
        return node.fail("the size is not two positive numbers");
    if (method != "bilinear" && method != "nearest")
        return node.fail(fmt::format("the method is '{}'", method));
    const Expr count = dim(b, boxes, 0);
    const Var corners = withDims(b, boxes, {count, 4}), own = withDims(b, numbers, {count});
    const Var x = cast(b, images, types::Float32);
    const auto alongDim = [&](int64_t i) { // 0: rows
        const Expr size = dim(b, x, 1 + i);
        const Var places = placesOfCut(b, sliceAxis(b, corners, 1, i, 1), sliceAxis(b, corners, 1, 2 + i, 1), size,
                                       (*sizes)[static_cast<size_t>(i)]);
        return neighboursOf(b, places, size, method == "nearest");
    };
    const Neighbours rows = alongDim(0), columns = alongDim(1);
    if (b.failed())
        return;
    const Dims grid = {count, (*sizes)[0], (*sizes)[1], 1};
    const auto ofRows = [&](Var v) { return unsqueeze(b, v, {2, 3}); };
    const auto ofColumns = [&](Var v) { return unsqueeze(b, v, {1, 3}); };
    const Var image = expand(b, unsqueeze(b, cast(b, own, types::Int64), {1, 2, 3}), grid);
    const auto elements = [&](Var row, Var column) {
        const Var at = concat(b, {image, expand(b, ofRows(row), grid), expand(b, ofColumns(column), grid)}, 3);
        return b.call(Op::GatherNd, {x, at}, GatherNdAttrs{});
    };
    const auto mixed = [&](Var first, Var second, Var share) {
        return add(b, first, mul(b, sub(b, second, first), share));
    };
    const Var share = ofColumns(columns.share);
    const Var top = mixed(elements(rows.before, columns.before), elements(rows.before, columns.after), share),
              bottom = mixed(elements(rows.after, columns.before), elements(rows.after, columns.after), share);
    const Var isInside = b.call(Op::LogicalAnd, {ofRows(rows.isInside), ofColumns(columns.isInside)});
    const Var outside = b.scalar(node.real("extrapolation_value", 0), types::Float32);
    node.set(0, where(b, isInside, mixed(top, bottom, ofRows(rows.share)), outside));
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
