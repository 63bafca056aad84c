// SPDX-License-Identifier: Apache-2.0
//
// Resizing and sampling of images, and images in files.
#include "frontend/common/columns.h"
#include "frontend/common/integer_operands.h"
#include "frontend/common/resize.h"
#include "frontend/onnx/ops.h"
#include "frontend/onnx/window.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

/// The dims that a Resize names, in its order; all if it names none.
Ints resizedAxes(NodeReader& node, int64_t rank) {
    if (!node.has("axes"))
        return iotaInts(0, rank);
    Ints axes = node.integers("axes");
    node.axes(axes, rank); // none twice
    for (int64_t& axis : axes)
        axis = node.axis(axis, rank);
    return axes;
}

ResizeAttrs resizeAttrs(NodeReader& node) {
    const bool first = node.version() < 11;
    ResizeAttrs attrs;
    attrs.mode = node.text("mode", "nearest");
    attrs.coordinate = node.text("coordinate_transformation_mode", first ? "asymmetric" : "half_pixel");
    // The first version's text does not say; its tests and ONNX Runtime round up where an axis shrinks.
    attrs.nearest = node.text("nearest_mode", first ? "ceil_if_smaller" : "round_prefer_floor");
    attrs.cubicCoefficient = node.real("cubic_coeff_a", -0.75);
    attrs.excludeOutside = node.integer("exclude_outside", 0) != 0;
    attrs.antialias = node.integer("antialias", 0) != 0;
    attrs.extrapolation = node.real("extrapolation_value", 0);
    return attrs;
}

} // namespace

void convertResize(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const Ints axes = resizedAxes(node, b.rank(x));
    const int64_t count = std::ssize(axes);
    const size_t scalesAt = node.version() < 11 ? 1 : 2, sizesAt = 3; // scales alone at first
    const auto given = [&](size_t i) {
        return node.hasInput(i) && (i != sizesAt || node.version() >= 11) && !arith::isConst(dim(b, node.in(i), 0), 0);
    };
    Resizing resizing{.x = x, .attrs = resizeAttrs(node), .scales = {}, .region = {}};
    if (given(sizesAt) == given(scalesAt))
        return node.fail(given(sizesAt) ? "both scales and sizes are given, of which the operator takes one"
                                        : "neither scales nor sizes are given");
    if (given(scalesAt)) {
        scaleBy(b, resizing, axes, listOf(node, scalesAt, count, "scales"));
    } else {
        const Var sizes = listOf(node, sizesAt, count, "sizes");
        const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
        if (policy == "stretch")
            resizing.x = setSizes(b, x, axes, b.symbolic(sizes, "size"), resizing.attrs);
        else
            fitInto(b, resizing, axes, sizes, policy == "not_smaller");
    }
    if (resizing.attrs.coordinate == "tf_crop_and_resize")
        cropTo(b, resizing, axes, listOf(node, 1, 2 * count, "region of interest"));
    node.set(0, resized(b, resizing));
}

void convertUpsample(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const int64_t rank = b.rank(x);
    Resizing resizing{.x = x, .attrs = {}, .scales = {}, .region = {}};
    const std::string mode = node.text("mode", "nearest");
    resizing.attrs.mode = mode == "bilinear" ? "linear" : mode;
    resizing.attrs.coordinate = "asymmetric";
    resizing.attrs.nearest = "floor";
    if (node.version() >= 9)
        scaleBy(b, resizing, iotaInts(0, rank), listOf(node, 1, rank, "scales"));
    else if (!setScales(b, b.shape(x),
                        node.version() >= 7
                            ? node.reals("scales")
                            : std::vector<double>{1, 1, node.real("height_scale", 1), node.real("width_scale", 1)},
                        resizing.attrs))
        return;
    node.set(0, resized(b, resizing));
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
    const Dims image = integersOf(node, 1, "image_shape");
    const Dims block = b.symbolic(listOf(node, 2, std::ssize(image), "block_shape"), "block");
    if (!node.needRank(x, 3))
        return;
    if (image.empty())
        return node.fail("image_shape is empty");
    const size_t spatial = image.size();
    const std::optional<Steps> given = readSteps(node, spatial);
    if (!given)
        return;
    const auto behind = given->pads.begin() + static_cast<std::ptrdiff_t>(spatial);
    node.set(0, imageOfColumns(b, x,
                               {image,
                                block,
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
