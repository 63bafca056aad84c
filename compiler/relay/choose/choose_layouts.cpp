// SPDX-License-Identifier: Apache-2.0
//
// One sweep: values take the layouts that were chosen, constant weights of products and convolutions become relayouts of
// them. Weights that several calls share are packed once: equal recipes have one hash.
#include "relay/choose/choose_layouts.h"

#include "arith/analysis.h"
#include "base/cache_lines.h"
#include "relay/attrs.h"
#include "relay/choose/channel_blocks.h"
#include "relay/transform/make.h"

#include <numeric>

namespace lathe::relay::choose {
namespace {

/// Panels of `width` along `dim`, outermost, within a panel the other dims in order, its elements innermost. inner: how the
/// operand's channels (dim 1) are blocked, 0 if they are not; the blocks' elements lie just outside of the panel's.
LayoutPtr panels(size_t rank, int dim, int64_t width, int64_t inner = 0) {
    auto layout = std::make_shared<Layout>();
    layout->axes.push_back({dim, width, true});
    for (size_t axis = 0; axis < rank; ++axis)
        if (static_cast<int>(axis) != dim)
            layout->axes.push_back({static_cast<int>(axis), axis == 1 ? inner : 0, axis == 1 && inner != 0});
    if (inner != 0)
        layout->axes.push_back({1, inner, false});
    layout->axes.push_back({dim, width, false});
    return layout;
}

/// The dim of constant weights that panels go along; -1: none.
int panelDim(const OpCall& call, const TensorType& weights, bool blocked) {
    if (weights.dtype != types::Float32 || weights.layout)
        return -1;
    if (call.op == Op::MatMul && weights.shape.size() == 2)
        return attrs<MatMulAttrs>(call.attrs).transposeB ? 0 : 1;
    if (call.op == Op::WinogradConv)
        return 2;
    return isDenseConvolution(call, weights) || (blocked && isDepthwise(call, weights)) ? 0 : -1;
}

/// A convolution's result in the model's order is scattered from tiles of a panel, an element a store: below so many
/// multiply-adds an element that costs more than rows of the image in vectors do.
constexpr int64_t leastScattered = 64;

/// Ways of a first cache that are counted on, whatever the target has: lines that came before are lost to a column of a tile
/// that has more channels. Targets of one kind of vectors so store weights alike.
constexpr int64_t waysCountedOn = 8;

/// The largest power of two up to pageBytes that divides the bytes of an image. Open sizes may only make it larger.
int64_t stepOfImages(const TensorType& images) {
    int64_t step = images.dtype.bits / 8;
    for (size_t dim = 2; dim < images.shape.size(); ++dim)
        step = std::gcd(step * std::gcd(arith::asInt(images.shape[dim]).value_or(1), pageBytes), pageBytes);
    return step;
}

/// Whether rows of the image in vectors are better than panels of `width` channels, for a result in the model's order.
bool isBadToScatter(const OpCall& call, const TensorType& weights, const TensorType& result, int64_t width,
                    const Target& target) {
    if (call.op != Op::Conv || arith::bounds(result.shape.back()).upper < target.lanesOf(weights.dtype))
        return false;
    int64_t products = 1;
    for (size_t dim = 1; dim < weights.shape.size(); ++dim)
        products *= std::min(arith::bounds(weights.shape[dim]).upper, leastScattered + 1);
    return products <= leastScattered || width > rowsHeld(stepOfImages(result), waysCountedOn);
}

/// So many panels pay for a last one that is cut short.
constexpr int64_t panelsOfPadded = 2;

/// How wide panels are: as the result's blocks. Where it has none, two vectors, else one, where that divides the columns or
/// makes at least panelsOfPadded panels; what is offered is one vector to four, and 0: weights as the model has them.
struct PanelWidths {
    int64_t preferred = 0;
    std::vector<int64_t> offered; // empty: there is no choice
};
PanelWidths panelWidths(const Expr& columns, DataType dtype, const LayoutPtr& result, const Target& target) {
    if (result)
        return {result->axes.back().factor, {}};
    const int64_t lanes = target.lanesOf(dtype), count = arith::asInt(columns).value_or(0);
    PanelWidths widths{0, {0}};
    for (int64_t vectors = 1; lanes > 1 && vectors <= 4; ++vectors)
        if (const int64_t width = vectors * lanes;
            arith::divisible(columns, width) || count >= panelsOfPadded * width) {
            widths.offered.push_back(width);
            widths.preferred = vectors <= 2 ? width : widths.preferred;
        }
    return widths;
}

class Sweep {
public:
    Sweep(ChannelBlocks chosen, const LayoutPins& pins, const Target& target)
        : chosen_(std::move(chosen)), pins_(pins), target_(target) {}

    std::vector<LayoutChoice> choices;

    std::vector<BindingPtr> apply(const BindingPtr& binding, const Index& index, Module& module) {
        const auto* call = binding->as<OpCall>();
        if (!call)
            return {binding};
        if (const auto offered = chosen_.offered.find(binding->var.id); offered != chosen_.offered.end()) {
            const LayoutPtr layout = chosen_.of(binding->var);
            choices.push_back({binding->var.id, binding->span, call->op, StoredPart::Blocks,
                               layout ? layout->axes.back().factor : 0, offered->second});
        }
        std::vector<BindingPtr> result;
        OpCall rewritten = *call;
        const std::map<uint32_t, Var>& copies = chosen_.readers.contains(binding->var.id) ? stored_ : logical_;
        for (Var& arg : rewritten.args)
            if (auto it = copies.find(arg.id); it != copies.end())
                arg = it->second;
        if (const ConstantPtr weights = call->args.size() > 1 ? transform::constantOf(index, call->args[1]) : nullptr)
            packWeights(rewritten, weights, *binding, module, result);
        const LayoutPtr layout = chosen_.of(binding->var);
        if (layout)
            padOperands(rewritten, *binding, layout->axes.back().factor, index, module, result);
        if (call->op == Op::WinogradConv && !chosen_.of(call->args[0])) {
            const TensorType& operand = *asTensor(transform::typeOf(index, call->args[0]));
            if (const int64_t width = blockWidth(operand.shape[1], operand.dtype, target_))
                storeInBlocks(rewritten.args[0], call->args[0], 1, width, index, *binding, module, result);
        }
        if (!layout && rewritten.args == call->args)
            return {binding};
        auto made = std::make_shared<Binding>(*binding);
        made->rhs = std::move(rewritten);
        if (layout) {
            const TensorType& type = *asTensor(binding->type);
            made->type = tensorType(type.dtype, type.shape, layout);
        }
        // Who is no operator sees the model's order under the name that it knows.
        const bool escapes = layout && chosen_.escaping.contains(binding->var.id);
        if (escapes)
            made->var = stored_[binding->var.id] = Var{module.nextVar++};
        result.push_back(made);
        if (escapes || (layout && needsLogical(binding->var, index))) {
            transform::Maker maker(module, binding->span);
            maker.call(Op::Relayout, {{made->var, made->type}}, RelayoutAttrs{});
            const Var copy = escapes ? binding->var : logical_[binding->var.id] = Var{module.nextVar++};
            result.push_back(maker.take(copy, binding->modelValue).back());
        }
        return result;
    }

private:
    bool needsLogical(Var var, const Index& index) const {
        return std::ranges::any_of(index.find(var)->users,
                                   [&](const BindingPtr& user) { return !chosen_.readers.contains(user->var.id); });
    }

    /// What is a value a channel (a bias, a gate) is stored in blocks too where the last one is part padding: every block is
    /// then read whole.
    void padOperands(OpCall& call, const Binding& binding, int64_t width, const Index& index, Module& module,
                     std::vector<BindingPtr>& result) {
        const std::vector<Expr>& shape = asTensor(binding.type)->shape;
        const FusionKind kind = info(call.op).fusion;
        if (arith::divisible(shape[1], width) || (kind != FusionKind::Elementwise && kind != FusionKind::Broadcast))
            return;
        const std::vector<Var>& given = binding.as<OpCall>()->args; // under the names that the index knows
        for (size_t i = 0; i < given.size(); ++i) {
            const TensorType& type = *asTensor(transform::typeOf(index, given[i]));
            const size_t missing = shape.size() - type.shape.size(); // leading dims
            const ConstantPtr constant = transform::constantOf(index, given[i]);
            if (chosen_.of(given[i]) || (constant && constant->splat) || missing > 1 ||
                !arith::provablyEqual(type.shape[1 - missing], shape[1]))
                continue;
            storeInBlocks(call.args[i], given[i], 1 - missing, width, index, binding, module, result);
        }
    }

    /// In the place of an operand in the model's order its copy in blocks along `dim`. given: its name before.
    void storeInBlocks(Var& arg, Var given, size_t dim, int64_t width, const Index& index, const Binding& binding,
                       Module& module, std::vector<BindingPtr>& result) {
        const Type& type = transform::typeOf(index, given);
        const ConstantPtr constant = transform::constantOf(index, given);
        RelayoutAttrs relayout;
        relayout.layout = blocksAlong(asTensor(type)->shape.size(), dim, width);
        const ConstantPtr packed =
            constant ? transform::computeConstant(module, binding.span, Op::Relayout, {constant}, relayout) : nullptr;
        transform::Maker maker(module, binding.span);
        if (packed)
            maker.constant(packed);
        else
            maker.call(Op::Relayout, {{arg, type}}, std::move(relayout));
        arg = Var{module.nextVar++};
        result.push_back(maker.take(arg).back());
    }

    void packWeights(OpCall& call, const ConstantPtr& weights, const Binding& binding, Module& module,
                     std::vector<BindingPtr>& result) {
        const LayoutPtr operand = chosen_.of(binding.as<OpCall>()->args[0]), blocks = chosen_.of(binding.var);
        const TensorType* type = weights->splat ? nullptr : asTensor(weights->type);
        const int dim = type ? panelDim(call, *type, blocks != nullptr) : -1;
        if (dim < 0)
            return;
        PanelWidths widths = panelWidths(type->shape[static_cast<size_t>(dim)], type->dtype, blocks, target_);
        if (!blocks && isBadToScatter(call, *type, *asTensor(binding.type), widths.preferred, target_))
            widths.preferred = 0;
        const auto pin = pins_.panels.find(binding.var.id);
        const int64_t width = pin == pins_.panels.end() ? widths.preferred : pin->second;
        if (widths.offered.size() > 1)
            choices.push_back({binding.var.id, binding.span, call.op, StoredPart::Panels, width, widths.offered});
        if (width == 0) // as the model has them
            return;
        const int64_t inner = operand && isDenseConvolution(call, *type) ? operand->axes.back().factor : 0;
        RelayoutAttrs relayout;
        relayout.layout = panels(type->shape.size(), dim, width, inner);
        const ConstantPtr packed =
            transform::computeConstant(module, binding.span, Op::Relayout, {weights}, std::move(relayout));
        LATHE_ASSERT(packed, "weights of numbers have a recipe");
        transform::Maker maker(module, binding.span);
        maker.constant(packed);
        result = maker.take(Var{module.nextVar++});
        call.args[1] = result.back()->var;
    }

    ChannelBlocks chosen_;
    const LayoutPins& pins_;
    const Target& target_;
    std::map<uint32_t, Var> logical_; // a value with a layout -> its logical copy
    std::map<uint32_t, Var> stored_;  // the name of a logical copy -> what it is a copy of
};

} // namespace

LaidOut chooseLayouts(const Module& module, const Target& target, const LayoutPins& pins) {
    ChannelBlocks chosen;
    for (const auto& [name, function] : module.functions)
        if (!function->primitive) {
            ChannelBlocks own = chooseChannelBlocks(*function, target, pins.blocks);
            chosen.layouts.merge(own.layouts);
            chosen.readers.merge(own.readers);
            chosen.offered.merge(own.offered);
            chosen.escaping.merge(own.escaping);
        }
    Sweep sweep(std::move(chosen), pins, target);
    Module made = transform::rewriteModule(module, [&](const BindingPtr& binding, Rewriter&, const Index& index,
                                                       Module& result) { return sweep.apply(binding, index, result); });
    return {std::move(made), std::move(sweep.choices)};
}

} // namespace lathe::relay::choose
