// SPDX-License-Identifier: Apache-2.0
//
// Resizing of images to given sizes or by given factors. Where factors are given they, not the sizes, say where a
// result's element stands over the image. PyTorch computes places in float32, Resize in float64: the nearest element of
// an image of known sizes is taken from a table of places where the two would round apart.
#include "frontend/common/resize.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// What an operator says of its result's dims behind batch and channels.
struct ResizeTarget {
    Var x;
    Dims sizes;                 // of all dims
    std::vector<double> scales; // given factors: of all dims, or none at all
};

/// The factors: one list of them, or each by its own name; 0 where there is none.
std::vector<double> givenScales(Call& call, size_t spatial) {
    if (call.schema.find("scale_factors"))
        return call.reals("scale_factors");
    static constexpr std::array<const char*, 3> names = {"scales_d", "scales_h", "scales_w"};
    std::vector<double> scales;
    if (spatial == 1)
        return call.isNone("scales") ? scales : std::vector<double>{call.real("scales")};
    for (size_t i = names.size() - spatial; i < names.size(); ++i)
        scales.push_back(call.optionalReal(names[i]).value_or(0));
    return scales;
}

/// spatial: how many dims the operator resizes. Nothing after a fault.
std::optional<ResizeTarget> resizeTargetOf(Call& call, Builder& b, size_t spatial) {
    ResizeTarget target{call.tensor(call.schema.arguments[0].name.c_str()), {}, {}};
    const Dims sizes = call.sizes("output_size");
    std::vector<double> scales = givenScales(call, spatial);
    if (call.failed())
        return std::nullopt;
    const Dims shape = b.shape(target.x);
    if (shape.size() != spatial + 2) {
        call.fail(fmt::format("an image with {} dims, {} are expected", shape.size(), spatial + 2));
        return std::nullopt;
    }
    if ((!sizes.empty() && sizes.size() != spatial) || (!scales.empty() && scales.size() != spatial) ||
        (sizes.empty() && scales.empty())) {
        call.fail(fmt::format("{} sizes and {} factors for {} dims", sizes.size(), scales.size(), spatial));
        return std::nullopt;
    }
    scales.insert(scales.begin(), 2, 1.0);
    bool given = scales.size() == shape.size();
    for (const double scale : scales)
        given = given && scale > 0;
    if (given || sizes.empty()) {
        relay::ResizeAttrs attrs;
        if (!setScales(b, shape, scales, attrs))
            return std::nullopt;
        target.sizes = attrs.sizes;
        target.scales = attrs.scales;
    }
    if (!sizes.empty()) {
        target.sizes = {shape[0], shape[1]};
        target.sizes.insert(target.sizes.end(), sizes.begin(), sizes.end());
    }
    for (const Expr& size : sizes)
        target.x = assume(b, target.x, arith::ge(size, 0), "sizes of an image are not negative");
    return target;
}

// ---- the nearest element

/// Where the result's elements are taken from along a dim, as PyTorch computes it.
Ints nearestPlaces(int64_t in, int64_t out, double scale, bool exact) {
    const float step = scale > 0 ? static_cast<float>(1.0 / scale) : static_cast<float>(in) / static_cast<float>(out);
    Ints places;
    for (int64_t i = 0; i < out; ++i) {
        const float at = exact ? (static_cast<float>(i) + 0.5F) * step : static_cast<float>(i) * step;
        int64_t place = static_cast<int64_t>(std::min(std::floor(at), static_cast<float>(in - 1)));
        if (!exact && out == in)
            place = i;
        if (!exact && out == 2 * in)
            place = i / 2;
        places.push_back(std::min(place, in - 1));
    }
    return places;
}

/// The same as Resize computes it.
Ints resizedPlaces(int64_t in, int64_t out, double scale, bool exact) {
    const double factor = scale > 0 ? scale : static_cast<double>(out) / static_cast<double>(in);
    Ints places;
    for (int64_t i = 0; i < out; ++i) {
        const double at = exact ? (static_cast<double>(i) + 0.5) / factor - 0.5 : static_cast<double>(i) / factor;
        const double low = std::floor(at);
        const auto place = static_cast<int64_t>(exact && at - low >= 0.5 ? low + 1 : low);
        places.push_back(std::clamp<int64_t>(place, 0, in - 1));
    }
    return places;
}

Var constantIndices(Builder& b, Ints places) {
    const auto values = std::make_shared<Ints>(std::move(places));
    auto tensor = std::make_shared<model::TensorData>();
    tensor->dtype = types::Int64;
    tensor->shape = {static_cast<int64_t>(values->size())};
    tensor->bytes = {values, std::as_bytes(std::span(*values))};
    return b.constant(relay::makeConstant(tensor));
}

/// x with the dims along which the two round apart resized already.
Var withTables(Builder& b, const ResizeTarget& target, bool exact) {
    constexpr int64_t longest = 1 << 20;
    Var x = target.x;
    for (size_t axis = 2; axis < target.sizes.size() && !b.failed(); ++axis) {
        const auto in = arith::asInt(dim(b, x, static_cast<int64_t>(axis))), out = arith::asInt(target.sizes[axis]);
        if (!in || !out || *in < 1 || *out < 1 || *in > longest || *out > longest)
            continue;
        const double scale = target.scales.empty() ? 0 : target.scales[axis];
        Ints places = nearestPlaces(*in, *out, scale, exact);
        if (places != resizedPlaces(*in, *out, scale, exact))
            x = gather(b, x, constantIndices(b, std::move(places)), static_cast<int64_t>(axis));
    }
    return x;
}

template <size_t Spatial, bool Exact>
void convertUpsampleNearest(Call& call, Builder& b) {
    std::optional<ResizeTarget> target = resizeTargetOf(call, b, Spatial);
    if (!target)
        return;
    const Var x = withTables(b, *target, Exact);
    if (call.failed())
        return;
    relay::ResizeAttrs attrs;
    attrs.coordinate = Exact ? "half_pixel" : "asymmetric";
    attrs.nearest = Exact ? "round_prefer_ceil" : "floor";
    attrs.scales = target->scales;
    const Dims before = b.shape(target->x), now = b.shape(x);
    for (size_t i = 0; i < attrs.scales.size(); ++i)
        if (!arith::provablyEqual(before[i], now[i])) // its size is the result's
            attrs.scales[i] = 1;
    const Var resizable = setSizes(b, x, iotaInts(0, Spatial + 2), target->sizes, attrs);
    call.give(b.call(Op::Resize, {resizable}, attrs));
}

// ---- between elements

/// Spacings between the elements whose outer ones stand over each other: 1 over what PyTorch multiplies by. Nothing
/// where a size is not known.
std::optional<std::vector<double>> alignedScales(Builder& b, const ResizeTarget& target) {
    std::vector<double> scales(2, 1.0);
    const Dims shape = b.shape(target.x);
    for (size_t i = 2; i < shape.size(); ++i) {
        const auto in = arith::asInt(shape[i]), out = arith::asInt(target.sizes[i]);
        if (!in || !out || *in < 2 || *out < 2)
            return std::nullopt;
        scales.push_back(static_cast<double>(*out - 1) / static_cast<double>(*in - 1));
    }
    return scales;
}

void giveInterpolated(Call& call, Builder& b, size_t spatial, const std::string& mode, bool antialias) {
    const std::optional<ResizeTarget> target = resizeTargetOf(call, b, spatial);
    const bool aligned = call.flag("align_corners");
    if (!target || call.failed())
        return;
    relay::ResizeAttrs attrs;
    attrs.mode = mode;
    attrs.coordinate = aligned && !antialias ? "align_corners" : "half_pixel";
    attrs.antialias = attrs.excludeOutside = antialias;
    if (antialias)
        attrs.cubicCoefficient = -0.5;
    if (!aligned)
        attrs.scales = target->scales;
    if (aligned && antialias) {
        const auto scales = alignedScales(b, *target);
        if (!scales)
            return call.refuse("antialiasing with aligned corners needs sizes that are known and more than 1");
        attrs.scales = *scales;
    }
    const Var x = setSizes(b, target->x, iotaInts(0, static_cast<int64_t>(spatial) + 2), target->sizes, attrs);
    call.give(b.call(Op::Resize, {x}, attrs));
}

template <size_t Spatial>
void convertUpsampleLinear(Call& call, Builder& b) {
    giveInterpolated(call, b, Spatial, "linear", false);
}

void convertUpsampleCubic(Call& call, Builder& b) {
    giveInterpolated(call, b, 2, "cubic", false);
}

void convertUpsampleLinearSmooth(Call& call, Builder& b) {
    giveInterpolated(call, b, 2, "linear", true);
}

void convertUpsampleCubicSmooth(Call& call, Builder& b) {
    giveInterpolated(call, b, 2, "cubic", true);
}

constexpr auto upsampleRows = std::to_array<Row>({
    {"aten::upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
     convertUpsampleNearest<1, false>, Movement},
    {"aten::upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     convertUpsampleNearest<1, false>, Movement},
    {"aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> "
     "Tensor",
     convertUpsampleNearest<2, false>, Movement},
    {"aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     convertUpsampleNearest<2, false>, Movement},
    {"aten::upsample_nearest3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? "
     "scales_w=None) -> Tensor",
     convertUpsampleNearest<3, false>, Movement},
    {"aten::upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     convertUpsampleNearest<3, false>, Movement},
    {"aten::_upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
     convertUpsampleNearest<1, true>, Movement},
    {"aten::_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     convertUpsampleNearest<1, true>, Movement},
    {"aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? "
     "scales_w=None) -> Tensor",
     convertUpsampleNearest<2, true>, Movement},
    {"aten::_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     convertUpsampleNearest<2, true>, Movement},
    {"aten::_upsample_nearest_exact3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, "
     "float? scales_w=None) -> Tensor",
     convertUpsampleNearest<3, true>, Movement},
    {"aten::_upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     convertUpsampleNearest<3, true>, Movement},
    {"aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor",
     convertUpsampleLinear<1>, Arithmetic},
    {"aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> "
     "Tensor",
     convertUpsampleLinear<1>, Arithmetic},
    {"aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? "
     "scales_w=None) -> Tensor",
     convertUpsampleLinear<2>, Arithmetic},
    {"aten::upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) "
     "-> Tensor",
     convertUpsampleLinear<2>, Arithmetic},
    {"aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? "
     "scales_h=None, float? scales_w=None) -> Tensor",
     convertUpsampleLinear<3>, Arithmetic},
    {"aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) "
     "-> Tensor",
     convertUpsampleLinear<3>, Arithmetic},
    {"aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? "
     "scales_w=None) -> Tensor",
     convertUpsampleCubic, Arithmetic},
    {"aten::upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) "
     "-> Tensor",
     convertUpsampleCubic, Arithmetic},
    {"aten::_upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, "
     "float? scales_w=None) -> Tensor",
     convertUpsampleLinearSmooth, Arithmetic},
    {"aten::_upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? "
     "scale_factors) -> Tensor",
     convertUpsampleLinearSmooth, Arithmetic},
    {"aten::_upsample_bicubic2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, "
     "float? scales_w=None) -> Tensor",
     convertUpsampleCubicSmooth, Arithmetic},
    {"aten::_upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? "
     "scale_factors) -> Tensor",
     convertUpsampleCubicSmooth, Arithmetic},
});

} // namespace

std::span<const Row> rowsOfUpsample() {
    return upsampleRows;
}

} // namespace lathe::frontend::torch
