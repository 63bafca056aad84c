// SPDX-License-Identifier: Apache-2.0
//
// Resizing and sampling of images, and images in files.
#include "frontend/common/columns.h"
#include "frontend/common/emit.h"
#include "frontend/common/resize.h"
#include "frontend/onnx/ops.h"
#include "frontend/onnx/window.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

std::optional<std::vector<double>> knownScales(NodeReader& node, Builder& b, Var scales) {
    const auto known = b.knownFloats(scales);
    if (!known && !b.failed())
        node.refuse("the scales are computed while the model runs, but must be known when it is compiled",
                    "make them a constant, or use sizes instead of scales");
    return known;
}

/// Sizes that keep the proportions of the axes: one scale for all, the least or the greatest.
bool keepAspect(NodeReader& node, const std::string& policy, const Dims& shape, const Ints& axes, Dims& sizes,
                ResizeAttrs& attrs) {
    double scale = policy == "not_larger" ? std::numeric_limits<double>::infinity() : 0;
    for (size_t i = 0; i < axes.size(); ++i) {
        const auto from = arith::asInt(shape[static_cast<size_t>(axes[i])]), to = arith::asInt(sizes[i]);
        if (!from || !to || *from < 1) {
            node.refuse("keep_aspect_ratio_policy needs sizes that are known when the model is compiled");
            return false;
        }
        const double ratio = static_cast<double>(*to) / static_cast<double>(*from);
        scale = policy == "not_larger" ? std::min(scale, ratio) : std::max(scale, ratio);
    }
    attrs.scales.assign(shape.size(), 1);
    for (size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<size_t>(axes[i]);
        attrs.scales[axis] = scale;
        sizes[i] = static_cast<int64_t>(std::floor(scale * static_cast<double>(*arith::asInt(shape[axis])) + 0.5));
    }
    return true;
}

} // namespace

void convertResize(NodeReader& node, Builder& b) {
    Var x = node.in(0);
    if (b.failed())
        return;
    const Dims shape = b.shape(x);
    const auto rank = static_cast<int64_t>(shape.size());
    const bool first = node.version() < 11; // only scales, at operand 1
    ResizeAttrs attrs;
    attrs.mode = node.text("mode", "nearest");
    attrs.coordinate = node.text("coordinate_transformation_mode", first ? "asymmetric" : "half_pixel");
    attrs.nearest = node.text("nearest_mode", first ? "floor" : "round_prefer_floor");
    attrs.cubicCoefficient = node.real("cubic_coeff_a", -0.75);
    attrs.excludeOutside = node.integer("exclude_outside", 0) != 0;
    attrs.antialias = node.integer("antialias", 0) != 0;
    attrs.extrapolation = node.real("extrapolation_value", 0);
    const Ints axes = node.has("axes") ? [&] {
        Ints given = node.integers("axes");
        node.axes(given, rank); // none twice
        for (int64_t& axis : given)
            axis = node.axis(axis, rank);
        return given;
    }()
                                       : iotaInts(0, rank);
    const auto empty = [&](size_t i) { return !node.hasInput(i) || arith::isConst(dim(b, node.in(i), 0), 0); };
    const size_t scalesAt = first ? 1 : 2;
    if (b.failed())
        return;
    if (!first && !empty(3) && !empty(scalesAt))
        return node.fail("both scales and sizes are given, of which the operator takes one");
    if (!first && !empty(3)) {
        Dims sizes = b.symbolic(node.in(3), "size");
        if (b.failed())
            return;
        if (sizes.size() != axes.size())
            return node.fail(fmt::format("there are {} sizes for {} axes", sizes.size(), axes.size()));
        const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
        if (policy != "stretch" && !keepAspect(node, policy, shape, axes, sizes, attrs))
            return;
        x = setSizes(b, x, axes, sizes, attrs);
    } else if (!empty(scalesAt)) {
        const auto scales = knownScales(node, b, node.in(scalesAt));
        if (!scales)
            return;
        if (scales->size() != axes.size())
            return node.fail(fmt::format("there are {} scales for {} axes", scales->size(), axes.size()));
        std::vector<double> all(shape.size(), 1);
        for (size_t i = 0; i < axes.size(); ++i)
            all[static_cast<size_t>(axes[i])] = (*scales)[i];
        if (!setScales(b, shape, all, attrs))
            return;
    } else {
        return node.fail("neither scales nor sizes are given");
    }
    if (attrs.coordinate == "tf_crop_and_resize") {
        const auto roi = empty(1) ? std::nullopt : b.knownFloats(node.in(1));
        if (!roi || roi->size() != 2 * axes.size())
            return node.refuse("the region of interest must be known when the model is compiled");
        attrs.roi.assign(shape.size(), 0);
        attrs.roi.resize(2 * shape.size(), 1);
        for (size_t i = 0; i < axes.size(); ++i) {
            attrs.roi[static_cast<size_t>(axes[i])] = (*roi)[i];
            attrs.roi[static_cast<size_t>(axes[i]) + shape.size()] = (*roi)[i + axes.size()];
        }
    }
    node.set(0, b.call(Op::Resize, {x}, attrs));
}

void convertUpsample(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    std::vector<double> scales;
    if (node.version() >= 9) {
        const auto known = knownScales(node, b, node.in(1));
        if (!known)
            return;
        scales = *known;
    } else if (node.version() >= 7) {
        scales = node.reals("scales");
    } else {
        scales = {1, 1, node.real("height_scale", 1), node.real("width_scale", 1)};
    }
    ResizeAttrs attrs;
    const std::string mode = node.text("mode", "nearest");
    attrs.mode = mode == "bilinear" ? "linear" : mode;
    attrs.coordinate = "asymmetric";
    attrs.nearest = "floor";
    if (setScales(b, b.shape(x), std::move(scales), attrs))
        node.set(0, b.call(Op::Resize, {x}, attrs));
}

void convertGridSample(NodeReader& node, Builder& b) {
    const Var x = node.in(0), grid = node.in(1);
    GridSampleAttrs attrs;
    const std::string mode = node.text("mode", "linear");
    attrs.mode = mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode;
    attrs.padding = node.text("padding_mode", "zeros");
    attrs.alignCorners = node.integer("align_corners", 0) != 0;
    node.set(0, b.call(Op::GridSample, {x, grid}, attrs));
}

void convertRoiAlign(NodeReader& node, Builder& b) {
    const Var x = node.in(0), rois = node.in(1), batch = node.in(2);
    RoiAlignAttrs attrs;
    attrs.mode = node.text("mode", "avg");
    attrs.coordinate =
        node.version() < 16 ? "output_half_pixel" : node.text("coordinate_transformation_mode", "half_pixel");
    attrs.height = node.integer("output_height", 1);
    attrs.width = node.integer("output_width", 1);
    attrs.samplingRatio = node.integer("sampling_ratio", 0);
    attrs.spatialScale = node.real("spatial_scale", 1);
    node.set(0, b.call(Op::RoiAlign, {x, rois, batch}, attrs));
}

void convertCol2Im(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto image = b.knownInts(node.in(1)), block = b.knownInts(node.in(2));
    if (!node.needRank(x, 3))
        return;
    if (!image || !block || image->size() != block->size() || image->empty())
        return node.refuse("image_shape and block_shape must be known when the model is compiled");
    const size_t spatial = image->size();
    const std::optional<Steps> given = readSteps(node, spatial);
    if (!given)
        return;
    const auto behind = given->pads.begin() + static_cast<std::ptrdiff_t>(spatial);
    node.set(0, imageOfColumns(b, x,
                               {*image,
                                *block,
                                given->strides,
                                given->dilations,
                                {given->pads.begin(), behind},
                                {behind, given->pads.end()}}));
}

void convertImageDecoder(NodeReader& node, Builder& b) {
    const Var file = node.in(0);
    ImageAttrs attrs;
    attrs.pixels = node.text("pixel_format", "RGB");
    node.set(0, b.call(Op::DecodeImage, {file}, attrs));
}

} // namespace lathe::frontend::onnx
