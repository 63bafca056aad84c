// SPDX-License-Identifier: Apache-2.0
//
// Convolution of any spatial rank with groups, strides and dilations: a reduction over the operand, put into
// zeros by a stage of its own where there is padding. Floats below 32 bits accumulate in float32.
#include "arith/analysis.h"
#include "topi/families.h"
#include "topi/windows.h"

namespace lathe::topi {

namespace {

/// First operand channel of the group that makes result channel o.
Expr groupStart(const Expr& o, int64_t groups, const Expr& resultChannels, const Expr& channelsPerGroup) {
    if (groups == 1)
        return 0;
    const Expr perGroup = arith::simplify(arith::floorDiv(resultChannels, groups));
    const Expr group = arith::isConst(perGroup, 1) ? o : arith::floorDiv(o, divisor(perGroup));
    return group * channelsPerGroup;
}

} // namespace

Tensors computeConv(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::ConvAttrs>(call.attrs);
    const TensorPtr &x = call.args[0], &w = call.args[1];
    const relay::TensorType& result = resultTensor(call);
    const size_t spatial = x->shape.size() - 2;
    const Window window = windowOf(Shape(w->shape.begin() + 2, w->shape.end()), attrs.strides, attrs.dilations,
                                   attrs.before, attrs.after, false);
    TensorPtr input = x;
    if (window.hasPadding()) {
        Shape before{0, 0}, shape{x->shape[0], x->shape[1]};
        for (size_t d = 0; d < spatial; ++d) {
            before.push_back(window.before[d]);
            shape.push_back(arith::simplify(x->shape[d + 2] + window.before[d] + window.after[d]));
        }
        input = padded("conv_pad", x, before, shape, number(0, x->dtype), call.origin);
    }
    const DataType accumulate = computeType(result.dtype);
    Shape extents{w->shape[1]};
    extents.insert(extents.end(), window.kernel.begin(), window.kernel.end());
    const TensorPtr sum = te::reduce(
        "conv", result.shape, te::ReduceKind::Sum, extents,
        [&](const std::vector<Var>& i, const std::vector<Var>& r) {
            const Expr start = groupStart(i[1], attrs.groups, result.shape[1], w->shape[1]);
            const bool single = arith::isConst(w->shape[1], 1) && attrs.groups > 1;
            Indices at{i[0], attrs.groups == 1 ? Expr(r[0]) : single ? start : start + r[0]};
            Indices weight{i[1], r[0]};
            for (size_t d = 0; d < spatial; ++d) {
                at.push_back(window.position(d, i[d + 2], r[d + 1]));
                weight.push_back(r[d + 1]);
            }
            return convert((*input)(at), accumulate) * convert((*w)(weight), accumulate);
        },
        call.origin);
    return {converted(sum, result.dtype, "conv_result", call.origin)};
}

} // namespace lathe::topi
