// SPDX-License-Identifier: Apache-2.0
//
// One sweep: each product or convolution whose weights are a constant reads a relayout of them instead. Weights that
// several calls share are packed once: equal recipes have one hash.
#include "lower/choose_layouts.h"

#include "relay/attrs.h"
#include "relay/transform/make.h"

namespace lathe::lower {
namespace {

using namespace relay;

/// Columns a panel: two vectors, or one; 0 if the extent is no multiple of either.
int64_t panelWidth(const Expr& extent, DataType dtype, const Target& target) {
    auto columns = arith::asInt(extent);
    int64_t lanes = target.lanes(dtype.bits);
    if (!columns || lanes < 2 || *columns == 0)
        return 0;
    return *columns % (2 * lanes) == 0 ? 2 * lanes : *columns % lanes == 0 ? lanes : 0;
}

/// All dims in order but `dim` split: its outer part first, its inner part last.
LayoutPtr panels(size_t rank, int dim, int64_t width) {
    auto layout = std::make_shared<Layout>();
    layout->axes.push_back({dim, width, true});
    for (size_t axis = 0; axis < rank; ++axis)
        if (static_cast<int>(axis) != dim)
            layout->axes.push_back({static_cast<int>(axis), 0, false});
    layout->axes.push_back({dim, width, false});
    return layout;
}

/// The dim of a call's second operand that runs along the result's columns; -1 if it cannot be packed.
int columnDim(const OpCall& call, const TensorType& weights) {
    if (weights.dtype != types::Float32 || weights.layout)
        return -1;
    if (call.op == Op::MatMul && weights.shape.size() == 2)
        return attrs<MatMulAttrs>(call.attrs).transposeB ? 0 : 1;
    if (call.op == Op::Conv && attrs<ConvAttrs>(call.attrs).groups == 1 && weights.shape.size() >= 3)
        return 0;
    return -1;
}

} // namespace

Module chooseLayouts(const Module& module, const Target& target) {
    return transform::rewriteModule(
        module, [&](const BindingPtr& binding, Rewriter&, const Index& index, Module& made) -> std::vector<BindingPtr> {
            const auto* call = binding->as<OpCall>();
            if (!call || call->args.size() < 2)
                return {binding};
            ConstantPtr weights = transform::constantOf(index, call->args[1]);
            const TensorType* type = weights ? asTensor(weights->type) : nullptr;
            int dim = type ? columnDim(*call, *type) : -1;
            int64_t width = dim >= 0 ? panelWidth(type->shape[static_cast<size_t>(dim)], type->dtype, target) : 0;
            if (width == 0 || weights->splat)
                return {binding};
            RelayoutAttrs relayout;
            relayout.layout = panels(type->shape.size(), dim, width);
            ConstantPtr packed =
                transform::computeConstant(made, binding->span, Op::Relayout, {weights}, std::move(relayout));
            if (!packed)
                return {binding};
            transform::Maker maker(made, binding->span);
            maker.constant(packed);
            std::vector<BindingPtr> result = maker.take(Var{made.nextVar++});
            OpCall rewritten = *call;
            rewritten.args[1] = result.back()->var;
            auto replacement = std::make_shared<Binding>(*binding);
            replacement->rhs = std::move(rewritten);
            result.push_back(std::move(replacement));
            return result;
        });
}

} // namespace lathe::lower
