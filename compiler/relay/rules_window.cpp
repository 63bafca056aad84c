// SPDX-License-Identifier: Apache-2.0
//
// Type rules of convolutions, pools and resampling. Output sizes are ONNX's: in ceil mode a window that would start in
// the padding behind the input is left out.
#include "relay/rule_families.h"

#include "arith/analysis.h"

#include <fmt/format.h>

namespace lathe::relay::rules {
namespace {

struct Window {
    Expr kernel;
    int64_t stride, dilation;
    Expr before, after;
    bool ceilMode = false;
};

/// The number of windows along one dim.
Result<Expr> windows(const Expr& dim, const Window& window, RuleContext& context) {
    if (window.stride < 1 || window.dilation < 1)
        return failure(fmt::format("stride {} and dilation {}", window.stride, window.dilation));
    Expr stride(window.stride);
    Expr room = dim + window.before + window.after - (window.kernel - 1) * Expr(window.dilation) - 1;
    Expr count = arith::floorDiv(room, stride) + 1;
    if (window.ceilMode) {
        count = arith::ceilDiv(room, stride) + 1;
        Expr late = arith::ge((count - 1) * stride, dim + window.before);
        count = count - arith::select(late, Expr(1), Expr(0));
    }
    count = arith::simplify(count);
    Expr condition = arith::ge(count, Expr(0));
    if (arith::provablyFalse(condition))
        return failure(fmt::format("a window of {} does not fit a dim of {}", arith::sizeText(window.kernel),
                                   arith::sizeText(dim)));
    if (!arith::provablyTrue(condition))
        context.require(
            condition, fmt::format("a window of {} fits dim {}", arith::sizeText(window.kernel), arith::sizeText(dim)));
    return count;
}

} // namespace

Result<Type> conv(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    LATHE_TRY(const TensorType* w, tensorArg(context, 1));
    const ConvAttrs& at = attrs<ConvAttrs>(context.attrs());
    if (x->shape.size() < 3 || w->shape.size() != x->shape.size())
        return failure(fmt::format("input {} and weights {}", text(x->shape), text(w->shape)),
                       "both have a batch or output channels, channels, and the same spatial dims");
    if (at.outDtype == types::Void && x->dtype != w->dtype)
        return failure(fmt::format("input is {} and weights {}, they must have one data type", toString(x->dtype),
                                   toString(w->dtype)));
    size_t spatial = x->shape.size() - 2;
    LATHE_CHECKED(checkCount(at.strides.size(), spatial, "strides"));
    LATHE_CHECKED(checkCount(at.dilations.size(), spatial, "dilations"));
    LATHE_CHECKED(checkCount(at.before.size(), spatial, "before"));
    LATHE_CHECKED(checkCount(at.after.size(), spatial, "after"));
    if (at.groups < 1)
        return failure(fmt::format("{} groups", at.groups));
    LATHE_CHECKED(equalDim(
        x->shape[1], w->shape[1] * Expr(at.groups), context,
        fmt::format("channels of input {} and weights {} with {} groups", text(x->shape), text(w->shape), at.groups)));
    if (arith::provablyFalse(arith::eq(arith::floorMod(w->shape[0], Expr(at.groups)), Expr(0))))
        return failure(
            fmt::format("{} output channels are no multiple of {} groups", arith::toString(w->shape[0]), at.groups));
    std::vector<Expr> shape{x->shape[0], w->shape[0]};
    for (size_t i = 0; i < spatial; ++i) {
        LATHE_TRY(Expr dim,
                  windows(x->shape[i + 2], {w->shape[i + 2], at.strides[i], at.dilations[i], at.before[i], at.after[i]},
                          context));
        shape.push_back(dim);
    }
    return tensorType(at.outDtype == types::Void ? x->dtype : at.outDtype, std::move(shape));
}

namespace {

/// Rows and columns of the operand under a tile.
Result<int64_t> winogradWindow(RuleContext& context) {
    const int64_t tile = attrs<WinogradAttrs>(context.attrs()).tile;
    if (tile != 2 && tile != 4)
        return failure(fmt::format("tiles of {} by {}", tile, tile), "2 or 4");
    return tile + 2;
}

} // namespace

Result<Type> winogradWeights(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* w, tensorArg(context, 0, 4));
    LATHE_TRY(const int64_t window, winogradWindow(context));
    if (w->dtype != types::Float32 || !arith::isConst(w->shape[2], 3) || !arith::isConst(w->shape[3], 3))
        return failure(fmt::format("weights are {} of {}", text(w->shape), toString(w->dtype)),
                       "float32 of 3 by 3 elements a channel");
    return tensorType(w->dtype, {Expr(window * window), w->shape[1], w->shape[0]});
}

Result<Type> winogradConv(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0, 4));
    LATHE_TRY(const TensorType* u, tensorArg(context, 1, 3));
    LATHE_TRY(const int64_t window, winogradWindow(context));
    const auto& at = attrs<WinogradAttrs>(context.attrs());
    LATHE_CHECKED(checkCount(at.before.size(), 2, "before"));
    LATHE_CHECKED(checkCount(at.after.size(), 2, "after"));
    if (x->dtype != types::Float32 || u->dtype != types::Float32)
        return failure(fmt::format("input is {} and weights {}", toString(x->dtype), toString(u->dtype)), "float32");
    if (!arith::isConst(u->shape[0], window * window))
        return failure(fmt::format("weights {} for tiles of {}", text(u->shape), at.tile),
                       fmt::format("their first dim is {}", window * window));
    LATHE_CHECKED(equalDim(x->shape[1], u->shape[1], context,
                           fmt::format("channels of input {} and weights {}", text(x->shape), text(u->shape))));
    std::vector<Expr> shape{x->shape[0], u->shape[2]};
    for (size_t i = 0; i < 2; ++i) {
        LATHE_TRY(Expr dim, windows(x->shape[i + 2], {Expr(3), 1, 1, at.before[i], at.after[i]}, context));
        shape.push_back(dim);
    }
    return tensorType(x->dtype, std::move(shape));
}

Result<Type> pool(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const PoolAttrs& at = attrs<PoolAttrs>(context.attrs());
    if (x->shape.size() < 3)
        return failure(fmt::format("{} has no spatial dims", text(x->shape)));
    size_t spatial = x->shape.size() - 2;
    LATHE_CHECKED(checkCount(at.kernel.size(), spatial, "kernel"));
    LATHE_CHECKED(checkCount(at.strides.size(), spatial, "strides"));
    LATHE_CHECKED(checkCount(at.dilations.size(), spatial, "dilations"));
    LATHE_CHECKED(checkCount(at.before.size(), spatial, "before"));
    LATHE_CHECKED(checkCount(at.after.size(), spatial, "after"));
    std::vector<Expr> shape{x->shape[0], x->shape[1]};
    for (size_t i = 0; i < spatial; ++i) {
        LATHE_TRY(Expr dim,
                  windows(x->shape[i + 2],
                          {Expr(at.kernel[i]), at.strides[i], at.dilations[i], at.before[i], at.after[i], at.ceilMode},
                          context));
        shape.push_back(dim);
    }
    Type result = tensorType(x->dtype, shape);
    if (op != Op::MaxPoolWithIndex)
        return result;
    return tupleType({result, tensorType(types::Int64, std::move(shape))});
}

namespace {

/// Whether an operand that takes an attribute's place, if it is there, has as many numbers.
Result<void> resizedBy(RuleContext& context, int operand, int64_t count, bool isAttribute, const char* what) {
    if (context.args().size() <= static_cast<size_t>(operand) || !context.args()[static_cast<size_t>(operand)])
        return {};
    LATHE_TRY(const TensorType* values, tensorArg(context, operand, 1));
    if (isAttribute)
        return failure(fmt::format("{} are both an operand and an attribute", what));
    if (values->dtype != types::Float64 || !arith::isConst(values->shape[0], count))
        return failure(fmt::format("{} are {} of {}", what, text(values->shape), toString(values->dtype)),
                       fmt::format("{} numbers of float64", count));
    return {};
}

} // namespace

Result<Type> resize(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const ResizeAttrs& at = attrs<ResizeAttrs>(context.attrs());
    LATHE_CHECKED(checkCount(at.sizes.size(), x->shape.size(), "sizes"));
    if (!at.scales.empty())
        LATHE_CHECKED(checkCount(at.scales.size(), x->shape.size(), "scales"));
    if (!at.roi.empty())
        LATHE_CHECKED(checkCount(at.roi.size(), 2 * x->shape.size(), "ends of the region"));
    LATHE_CHECKED(resizedBy(context, 1, static_cast<int64_t>(x->shape.size()), !at.scales.empty(), "the scales"));
    LATHE_CHECKED(resizedBy(context, 2, 2 * static_cast<int64_t>(x->shape.size()), !at.roi.empty(), "the region"));
    LATHE_CHECKED(checkWord("mode", at.mode, {"nearest", "linear", "cubic"}));
    LATHE_CHECKED(checkWord("coordinate", at.coordinate,
                            {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn",
                             "align_corners", "asymmetric", "tf_crop_and_resize"}));
    LATHE_CHECKED(checkWord("nearest", at.nearest,
                            {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "ceil_if_smaller"}));
    return tensorType(x->dtype, at.sizes);
}

Result<Type> gridSample(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    LATHE_TRY(const TensorType* grid, tensorArg(context, 1));
    const GridSampleAttrs& at = attrs<GridSampleAttrs>(context.attrs());
    LATHE_CHECKED(checkWord("mode", at.mode, {"nearest", "linear", "cubic"}));
    LATHE_CHECKED(checkWord("padding", at.padding, {"zeros", "border", "reflection"}));
    size_t rank = x->shape.size();
    if (rank < 3 || grid->shape.size() != rank)
        return failure(fmt::format("input {} and grid {}", text(x->shape), text(grid->shape)));
    LATHE_CHECKED(equalDim(x->shape[0], grid->shape[0], context, "the batches of input and grid"));
    LATHE_CHECKED(equalDim(grid->shape.back(), Expr(static_cast<int64_t>(rank) - 2), context,
                           "the grid's last dim and the spatial dims"));
    std::vector<Expr> shape{x->shape[0], x->shape[1]};
    shape.insert(shape.end(), grid->shape.begin() + 1, grid->shape.end() - 1);
    return tensorType(x->dtype, std::move(shape));
}

Result<Type> roiAlign(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0, 4));
    LATHE_TRY(const TensorType* rois, tensorArg(context, 1, 2));
    LATHE_TRY(const TensorType* batch, tensorArg(context, 2, 1));
    const RoiAlignAttrs& at = attrs<RoiAlignAttrs>(context.attrs());
    LATHE_CHECKED(checkWord("mode", at.mode, {"avg", "max"}));
    LATHE_CHECKED(checkWord("coordinate", at.coordinate, {"half_pixel", "output_half_pixel"}));
    if (at.height < 1 || at.width < 1 || at.samplingRatio < 0)
        return failure(fmt::format("bins of {} by {}, {} samples", at.height, at.width, at.samplingRatio));
    LATHE_CHECKED(equalDim(rois->shape[1], Expr(4), context, "the last dim of the regions and 4"));
    LATHE_CHECKED(equalDim(rois->shape[0], batch->shape[0], context, "the numbers of regions and of batch indices"));
    return tensorType(x->dtype, {rois->shape[0], x->shape[1], Expr(at.height), Expr(at.width)});
}

} // namespace lathe::relay::rules
