// SPDX-License-Identifier: Apache-2.0
//
// Sampling of images at computed places, and what torchvision adds for detection.
#include "frontend/common/deform_conv.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// The entry of a list of names that a number stands for.
std::string namedBy(Call& call, const char* argument, const std::array<const char*, 3>& names) {
    const int64_t number = call.integer(argument);
    if (number >= 0 && number < static_cast<int64_t>(names.size()))
        return names[static_cast<size_t>(number)];
    call.fail(fmt::format("argument '{}' is {}", argument, number));
    return names[0];
}

void convertGridSampler(Call& call, Builder& b) {
    const Var x = call.tensor("input"), grid = call.tensor("grid");
    relay::GridSampleAttrs attrs;
    attrs.mode = namedBy(call, "interpolation_mode", {"linear", "nearest", "cubic"});
    attrs.padding = namedBy(call, "padding_mode", {"zeros", "border", "reflection"});
    attrs.alignCorners = call.flag("align_corners");
    call.give(b.call(Op::GridSample, {x, grid}, attrs));
}

/// The places of `size` elements between -1 and 1: [size].
Var placesBetween(Builder& b, const Expr& size, bool aligned, DataType dtype) {
    const Var i = cast(b, iota(b, {size}, 0, types::Int64), dtype);
    const Expr several = arith::gt(size, 1);
    // aligned: 2 i / (n - 1) - 1, of a single one 0; else (2 i + 1) / n - 1
    const Expr divisor = aligned ? arith::select(several, size - 1, 1) : arith::max(size, 1);
    const Var step = div(b, b.scalar(2, dtype), cast(b, b.scalarOf(arith::simplify(divisor)), dtype));
    const Var moved = addTo(b, mul(b, aligned ? i : addTo(b, i, 0.5), step), -1);
    return aligned ? where(b, cast(b, b.scalarOf(arith::simplify(arith::select(several, 1, 0))), types::Bool), moved,
                           b.scalar(0, dtype))
                   : moved;
}

void convertAffineGrid(Call& call, Builder& b) {
    const Var theta = call.tensor("theta");
    const Dims size = call.sizes("size");
    const bool aligned = call.flag("align_corners");
    if (call.failed())
        return;
    if (size.size() != 4 && size.size() != 5)
        return call.fail(fmt::format("a grid for an image with {} dims", size.size()));
    const auto spatial = static_cast<int64_t>(size.size()) - 2;
    const Var given = withDims(b, theta, {size[0], spatial, spatial + 1});
    if (call.failed())
        return;
    const DataType dtype = b.dtype(theta);
    const Dims image(size.begin() + 2, size.end());
    Dims point = image;
    point.push_back(1);
    std::vector<Var> columns; // the innermost dim first, then a one
    for (int64_t i = spatial; i-- > 0;) {
        const Var places = placesBetween(b, image[static_cast<size_t>(i)], aligned, dtype);
        columns.push_back(expand(b, alongAxis(b, places, i, spatial + 1), point));
    }
    columns.push_back(full(b, b.scalar(1, dtype), point));
    const Var base = reshape(b, concat(b, columns, spatial), {product(image), spatial + 1});
    Dims result = {size[0]};
    result.insert(result.end(), image.begin(), image.end());
    result.push_back(spatial);
    call.give(reshape(b, matmul(b, base, given, false, true), result));
}

void convertNms(Call& call, Builder& b) {
    const Var boxes = call.tensor("dets"), scores = call.tensor("scores");
    const double overlap = call.real("iou_threshold");
    if (call.failed())
        return;
    if (b.rank(boxes) != 2 || b.rank(scores) != 1)
        return call.fail("boxes are a matrix with four columns, scores a vector");
    const Var all = b.call(
        Op::NonMaxSuppression,
        {unsqueeze(b, cast(b, boxes, types::Float32), {0}), unsqueeze(b, cast(b, scores, types::Float32), {0, 1}),
         reshape(b, b.scalarOf(dim(b, boxes, 0)), {1}), reshape(b, b.scalar(overlap, types::Float32), {1})},
        relay::NmsAttrs{});
    const Expr count = dim(b, all, 0);
    call.give(reshape(b, sliceAxis(b, all, 1, 2, 1), {count}));
}

void convertRoiAlign(Call& call, Builder& b) {
    const Var x = call.tensor("input"), rois = call.tensor("rois");
    relay::RoiAlignAttrs attrs;
    attrs.coordinate = call.flag("aligned") ? "half_pixel" : "output_half_pixel";
    attrs.height = call.integer("pooled_height");
    attrs.width = call.integer("pooled_width");
    attrs.samplingRatio = std::max<int64_t>(call.integer("sampling_ratio"), 0); // not positive: by the region's size
    attrs.spatialScale = call.real("spatial_scale");
    if (call.failed())
        return;
    if (b.rank(rois) != 2)
        return call.fail(fmt::format("regions with {} dims", b.rank(rois)));
    const Var given = withDims(b, rois, {dim(b, rois, 0), 5}); // which image, then two corners
    const Var image = cast(b, reshape(b, sliceAxis(b, given, 1, 0, 1), {dim(b, rois, 0)}), types::Int64);
    call.give(b.call(Op::RoiAlign, {x, sliceAxis(b, given, 1, 1, 4), image}, attrs));
}

void convertDeformConv(Call& call, Builder& b) {
    const Var x = call.tensor("input"), weights = call.tensor("weight"), offset = call.tensor("offset");
    const Var mask = call.flag("use_mask") ? call.tensor("mask") : Var{}, bias = call.tensor("bias");
    if (call.failed())
        return;
    if (b.rank(x) != 4 || b.rank(weights) != 4)
        return call.fail("a deformable convolution of images takes an input and weights with four dims");
    const auto kernel = kernelOf(b, weights);
    if (!kernel)
        return;
    const auto both = [&](const char* first, const char* second) {
        return Ints{call.integer(first), call.integer(second)};
    };
    const Ints pads = both("pad_h", "pad_w");
    const WindowAttributes at{
        *kernel, both("stride_h", "stride_w"), both("dilation_h", "dilation_w"), {pads[0], pads[1], pads[0], pads[1]}};
    const Var sum = addChannelBias(
        b,
        deformableConvolution(b, x, weights, offset, mask, at, call.integer("groups"), call.integer("offset_groups")),
        bias);
    call.give(b.failed() ? Var{} : cast(b, sum, b.dtype(x)));
}

constexpr auto visionRows = std::to_array<Row>({
    {"aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> "
     "Tensor",
     convertGridSampler, Arithmetic},
    {"aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) "
     "-> Tensor",
     convertGridSampler, Arithmetic},
    {"aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) "
     "-> Tensor",
     convertGridSampler, Arithmetic},
    {"aten::affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor", convertAffineGrid,
     Arithmetic},
    {"torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", convertNms, Other},
    {"torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt "
     "pooled_width, int sampling_ratio, bool aligned) -> Tensor",
     convertRoiAlign, Reduction},
    {"torchvision::deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt "
     "stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, "
     "SymInt offset_groups, bool use_mask) -> Tensor",
     convertDeformConv, Product},
});

} // namespace

std::span<const Row> rowsOfVision() {
    return visionRows;
}

} // namespace lathe::frontend::torch
