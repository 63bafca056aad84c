// SPDX-License-Identifier: Apache-2.0
//
// Convolutions, pools and resampling have the batch as dim 0 and channels as dim 1 of activations, results and channels as
// dims 0 and 1 of weights.
#include "relay/operator_layouts.h"

#include "arith/analysis.h"
#include "relay/attrs.h"
#include "relay/ir.h"

#include <algorithm>

namespace lathe::relay::layouts {
namespace {

constexpr int channelDim = 1;
constexpr int weightsOperand = 1;

int rankOf(const Type& type) {
    const TensorType* tensor = asTensor(type);
    return tensor ? static_cast<int>(tensor->shape.size()) : 0;
}

bool isGrouped(const TypedCall& call) {
    return attrs<ConvAttrs>(call.call.attrs).groups != 1;
}

/// Whether each channel is a group.
bool isDepthwise(const TypedCall& call) {
    const TensorType* weights = asTensor(call.args[weightsOperand]);
    return isGrouped(call) && weights && weights->shape.size() >= 3 && arith::isConst(weights->shape[1], 1) &&
           arith::isConst(weights->shape[0], attrs<ConvAttrs>(call.call.attrs).groups);
}

/// A dim of the first operand that the result has in the same place.
CarriedBlocks slice(int operand, int dim, bool carried, bool gains) {
    return operand == 0 && carried ? CarriedBlocks{Carriage::Slices, dim, gains} : CarriedBlocks{};
}

} // namespace

/// Columns of a matrix; those of several at once are left as they are.
PanelRequest matMulPanels(const TypedCall& call) {
    if (rankOf(call.args[weightsOperand]) != 2)
        return {};
    return {weightsOperand, attrs<MatMulAttrs>(call.call.attrs).transposeB ? 0 : 1};
}

/// Without groups each result channel sums over all of the operand's; where each channel is a group there is no such sum, and
/// panels only serve blocks.
PanelRequest convPanels(const TypedCall& call) {
    if (!isGrouped(call))
        return {.operand = weightsOperand, .dim = 0, .inner = 1, .scatters = true};
    return isDepthwise(call) ? PanelRequest{.operand = weightsOperand, .dim = 0, .inBlocksOnly = true} : PanelRequest{};
}

/// Result channels are the last dim of transformed weights.
PanelRequest winogradPanels(const TypedCall&) {
    return {weightsOperand, 2};
}

MadeBlocks convBlocks(const TypedCall& call) {
    return isGrouped(call) ? MadeBlocks{} : MadeBlocks{.dim = channelDim, .constant = weightsOperand};
}

/// It is computed by vectors of channels alone.
MadeBlocks winogradBlocks(const TypedCall&) {
    return {.dim = channelDim, .always = true};
}

CarriedBlocks elements(const TypedCall& call, int operand, int dim) {
    const int placed = dim + rankOf(call.result) - rankOf(call.args[static_cast<size_t>(operand)]);
    return placed < 0 ? CarriedBlocks{} : CarriedBlocks{Carriage::Elements, placed};
}

/// Operands but the first have one dim, the channels.
CarriedBlocks batchNorm(const TypedCall&, int operand, int dim) {
    return operand == 0 ? CarriedBlocks{Carriage::Elements, dim} : CarriedBlocks{};
}

CarriedBlocks depthwise(const TypedCall& call, int operand, int dim) {
    CarriedBlocks carried = slice(operand, dim, dim == channelDim && isDepthwise(call), true);
    if (carried.way != Carriage::None)
        carried.constant = weightsOperand;
    return carried;
}

CarriedBlocks pool(const TypedCall&, int operand, int dim) {
    return slice(operand, dim, dim <= channelDim, true);
}

/// Dims that stand before all that are reduced, so that they keep their place.
CarriedBlocks reduce(const TypedCall& call, int operand, int dim) {
    const std::vector<int64_t>& axes = attrs<ReduceAttrs>(call.call.attrs).axes;
    return slice(operand, dim, !axes.empty() && std::ranges::all_of(axes, [&](int64_t axis) { return axis > dim; }),
                 true);
}

/// Dims that keep their size.
CarriedBlocks resize(const TypedCall& call, int operand, int dim) {
    const TensorType *from = asTensor(call.args[0]), *to = asTensor(call.result);
    const auto at = static_cast<size_t>(dim);
    return slice(operand, dim,
                 from && to && at < from->shape.size() && at < to->shape.size() &&
                     arith::provablyEqual(from->shape[at], to->shape[at]),
                 false);
}

/// Only the dim along which operands are put together: others could lie in blocks as well, which gains nothing that was seen.
CarriedBlocks concat(const TypedCall& call, int, int dim) {
    return attrs<AxisAttrs>(call.call.attrs).axis == dim ? CarriedBlocks{Carriage::Parts, dim} : CarriedBlocks{};
}

} // namespace lathe::relay::layouts
