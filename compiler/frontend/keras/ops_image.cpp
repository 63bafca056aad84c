// SPDX-License-Identifier: Apache-2.0
//
// What makes images larger or smaller: zeros around them, cuts, other sizes.
#include "frontend/common/resize.h"
#include "frontend/keras/ops.h"
#include "relay/attrs.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

constexpr const char* wrongSizes = "correct the model's config";

/// Pairs of numbers, before and after each spatial dim; one number or one a dim is both.
std::vector<std::pair<int64_t, int64_t>> pairsOf(Layer& layer, const std::string& name, size_t spatial) {
    const Ints given = layer.integers(name);
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (size_t i = 0; i < spatial; ++i) {
        if (given.size() == 2 * spatial)
            pairs.emplace_back(given[2 * i], given[2 * i + 1]);
        else if (given.size() == spatial || given.size() == 1)
            pairs.emplace_back(given[given.size() == 1 ? 0 : i], given[given.size() == 1 ? 0 : i]);
    }
    const auto isWrong = [](const auto& pair) {
        return std::min(pair.first, pair.second) < 0 || std::max(pair.first, pair.second) > mostExtent;
    };
    if (pairs.size() != spatial || std::ranges::any_of(pairs, isWrong)) {
        layer.node.fail(fmt::format("'{}' is no list of sizes for {} dims", name, spatial), wrongSizes);
        return {};
    }
    return pairs;
}

void padZeros(NodeReader& node, size_t spatial) {
    Layer layer(node);
    const Var x = layer.in();
    const auto pairs = pairsOf(layer, "padding", spatial);
    if (!node.needRank(x, static_cast<int>(spatial) + 2) || node.failed())
        return;
    const auto rank = static_cast<size_t>(node.b.rank(x));
    Dims before(rank, Expr(0)), after(rank, Expr(0));
    for (size_t i = 0; i < spatial; ++i) {
        const size_t axis = i + (layer.isChannelsFirst() ? 2 : 1);
        before[axis] = pairs[i].first;
        after[axis] = pairs[i].second;
    }
    layer.give(pad(node.b, x, "constant", before, after));
}

/// x with what is left of the axis after so much is cut before and behind.
Var cut(Builder& b, Var x, int64_t axis, const Expr& before, const Expr& left) {
    return b.failed()
               ? x
               : sliceAxis(b, assume(b, x, arith::ge(left, 0), "more is cropped than there is"), axis, before, left);
}

void crop(NodeReader& node, size_t spatial) {
    Layer layer(node);
    Var x = layer.in();
    const auto pairs = pairsOf(layer, "cropping", spatial);
    if (!node.needRank(x, static_cast<int>(spatial) + 2) || node.failed())
        return;
    for (size_t i = 0; i < spatial; ++i) {
        const auto axis = static_cast<int64_t>(i) + (layer.isChannelsFirst() ? 2 : 1);
        const auto& [before, after] = pairs[i];
        x = cut(node.b, x, axis, before, arith::simplify(dim(node.b, x, axis) - (before + after)));
    }
    layer.give(x);
}

/// x [N, C, …] with spatial dims of these sizes.
Var resized(Layer& layer, Var x, const Dims& sizes, const std::string& interpolation) {
    Builder& b = layer.b;
    if (interpolation != "nearest" && interpolation != "bilinear") {
        layer.node.refuse(fmt::format("the interpolation '{}' is not supported", interpolation),
                          "use 'bilinear' or 'nearest'");
        return {};
    }
    relay::ResizeAttrs attrs;
    attrs.mode = interpolation == "nearest" ? "nearest" : "linear";
    attrs.coordinate = interpolation == "nearest" ? "tf_half_pixel_for_nn" : "half_pixel";
    attrs.nearest = "floor";
    for (const Expr& size : sizes)
        x = assume(b, x, arith::ge(size, 0), "the size of the result is not negative");
    const Var ready = setSizes(b, x, iotaInts(2, 2 + std::ssize(sizes)), sizes, attrs);
    return b.call(Op::Resize, {ready}, attrs);
}

void upsample(NodeReader& node, size_t spatial) {
    Layer layer(node);
    const Var x = layer.image(layer.in(), spatial);
    const Ints factors = layer.extents("size", spatial, 2);
    if (node.failed())
        return;
    if (std::ranges::any_of(factors, [](int64_t factor) { return factor < 1 || factor > mostExtent; }))
        return node.fail("'size' is not positive", wrongSizes);
    Dims sizes = spatialOf(node.b, x);
    for (size_t i = 0; i < spatial; ++i)
        sizes[i] = arith::simplify(sizes[i] * factors[i]);
    layer.give(layer.asGiven(resized(layer, x, sizes, node.text("interpolation", "nearest"))));
}

} // namespace

void convertZeroPadding1D(NodeReader& node, Builder&) {
    padZeros(node, 1);
}
void convertZeroPadding2D(NodeReader& node, Builder&) {
    padZeros(node, 2);
}
void convertZeroPadding3D(NodeReader& node, Builder&) {
    padZeros(node, 3);
}
void convertCropping1D(NodeReader& node, Builder&) {
    crop(node, 1);
}
void convertCropping2D(NodeReader& node, Builder&) {
    crop(node, 2);
}
void convertCropping3D(NodeReader& node, Builder&) {
    crop(node, 3);
}
void convertUpSampling1D(NodeReader& node, Builder&) {
    upsample(node, 1);
}
void convertUpSampling2D(NodeReader& node, Builder&) {
    upsample(node, 2);
}
void convertUpSampling3D(NodeReader& node, Builder&) {
    upsample(node, 3);
}

/// A single picture or a batch of them.
void convertResizing(NodeReader& node, Builder& b) {
    Layer layer(node);
    if (layer.flag("crop_to_aspect_ratio", false) || layer.flag("pad_to_aspect_ratio", false) ||
        layer.flag("antialias", false))
        return node.refuse("resizing that keeps the aspect ratio or smooths is not supported", "resize plainly");
    const Var x = layer.image(cast(b, layer.in(), layer.computed()), 2);
    layer.give(layer.asGiven(resized(layer, x, {Expr(node.integer("height", 0)), Expr(node.integer("width", 0))},
                                     node.text("interpolation", "bilinear"))));
}

/// The middle of pictures, which must be as large at least.
void convertCenterCrop(NodeReader& node, Builder& b) {
    Layer layer(node);
    Var x = cast(b, layer.in(), layer.computed());
    if (!node.needRank(x, 4))
        return;
    for (const auto& [name, place] : {std::pair("height", 0), std::pair("width", 1)}) {
        const int64_t axis = place + (layer.isChannelsFirst() ? 2 : 1), size = node.integer(name, 0);
        if (size < 0 || size > mostExtent)
            return node.fail(fmt::format("'{}' is {}", name, size), wrongSizes);
        const Expr before = arith::simplify(arith::floorDiv(dim(b, x, axis) - size, 2));
        x = sliceAxis(b,
                      assume(b, x, arith::ge(dim(b, x, axis), size), "pictures are not smaller than what is cropped"),
                      axis, before, size);
    }
    layer.give(x);
}

} // namespace lathe::frontend::keras
