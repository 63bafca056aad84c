// SPDX-License-Identifier: Apache-2.0
//
// One sweep: values take the layouts that were chosen, constant weights of products and convolutions become relayouts of
// them. Weights that several calls share are packed once: equal recipes have one hash.
#include "relay/choose/choose_layouts.h"

#include "arith/analysis.h"
#include "base/cache_lines.h"
#include "relay/attrs.h"
#include "relay/choose/channel_blocks.h"
#include "relay/choose/layout_call.h"
#include "relay/transform/make.h"

#include <numeric>

namespace lathe::relay::choose {
namespace {

/// How a layout splits a dim, its innermost axis last.
const Layout::Axis& blockOf(const LayoutPtr& layout) {
    return layout->axes.back();
}

/// Panels of `width` along `dim`, outermost, within a panel the other dims in order, its elements innermost. inner: a dim in
/// blocks as wide as its factor, whose elements lie just outside of the panel's; factor 0: there is none.
LayoutPtr panels(size_t rank, int dim, int64_t width, const Layout::Axis& inner) {
    auto layout = std::make_shared<Layout>();
    layout->axes.push_back({dim, width, true});
    for (int axis = 0; axis < static_cast<int>(rank); ++axis) {
        const bool split = axis == inner.dim && inner.factor != 0;
        if (axis != dim)
            layout->axes.push_back({axis, split ? inner.factor : 0, split});
    }
    if (inner.factor != 0)
        layout->axes.push_back(inner);
    layout->axes.push_back({dim, width, false});
    return layout;
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
bool isBadToScatter(const PanelRequest& request, const TensorType& weights, const TensorType& result, int64_t width,
                    const Target& target) {
    if (!request.scatters || arith::bounds(result.shape.back()).upper < target.lanesOf(weights.dtype))
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
        return {blockOf(result).factor, {}};
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
                               layout ? blockOf(layout).factor : 0, offered->second});
        }
        std::vector<BindingPtr> result;
        OpCall rewritten = *call;
        const std::map<uint32_t, Var>& copies = chosen_.readers.contains(binding->var.id) ? stored_ : logical_;
        for (Var& arg : rewritten.args)
            if (auto it = copies.find(arg.id); it != copies.end())
                arg = it->second;
        const LayoutCall asked(binding, index);
        packWeights(rewritten, asked, *binding, index, module, result);
        const LayoutPtr layout = chosen_.of(binding->var);
        if (layout)
            padOperands(rewritten, asked, *binding, layout, index, module, result);
        giveBlocks(rewritten, asked, *binding, index, module, result);
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

    /// Operands that are wanted in blocks and have none.
    void giveBlocks(OpCall& call, const LayoutCall& asked, const Binding& binding, const Index& index, Module& module,
                    std::vector<BindingPtr>& result) {
        const BlockRequest request = asked.blocks();
        if (request.operand < 0)
            return;
        const auto operand = static_cast<size_t>(request.operand), dim = static_cast<size_t>(request.dim);
        const TensorType& type = *asTensor(asked.argType(operand));
        if (const int64_t width = blockWidth(type.shape[dim], type.dtype, target_);
            width != 0 && !chosen_.of(asked.args()[operand]))
            storeInBlocks(call.args[operand], asked.args()[operand], dim, width, index, binding, module, result);
    }

    /// What is a value a channel (a bias, a gate) is stored in blocks too where the last one is part padding: every block is
    /// then read whole.
    void padOperands(OpCall& call, const LayoutCall& asked, const Binding& binding, const LayoutPtr& layout,
                     const Index& index, Module& module, std::vector<BindingPtr>& result) {
        const auto [dim, width, outer] = blockOf(layout);
        const Expr& extent = asTensor(binding.type)->shape[static_cast<size_t>(dim)];
        if (arith::divisible(extent, width))
            return;
        const std::vector<Var>& given = asked.args(); // under the names that the index knows
        for (size_t i = 0; i < given.size(); ++i) {
            const int own = asked.elementDim(i, dim);
            const ConstantPtr constant = transform::constantOf(index, given[i]);
            if (own < 0 || chosen_.of(given[i]) || (constant && constant->splat) ||
                !arith::provablyEqual(asTensor(asked.argType(i))->shape[static_cast<size_t>(own)], extent))
                continue;
            storeInBlocks(call.args[i], given[i], static_cast<size_t>(own), width, index, binding, module, result);
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

    void packWeights(OpCall& call, const LayoutCall& asked, const Binding& binding, const Index& index, Module& module,
                     std::vector<BindingPtr>& result) {
        const PanelRequest request = asked.panels();
        const LayoutPtr blocks = chosen_.of(binding.var);
        if (request.operand < 0 || (request.inBlocksOnly && !blocks))
            return;
        const auto place = static_cast<size_t>(request.operand);
        const ConstantPtr weights = transform::constantOf(index, asked.args()[place]);
        const TensorType* type = asTensor(weights->type);
        if (type->layout)
            return;
        PanelWidths widths = panelWidths(type->shape[static_cast<size_t>(request.dim)], type->dtype, blocks, target_);
        if (!blocks && isBadToScatter(request, *type, *asTensor(binding.type), widths.preferred, target_))
            widths.preferred = 0;
        const auto pin = pins_.panels.find(binding.var.id);
        const int64_t width = pin == pins_.panels.end() ? widths.preferred : pin->second;
        if (widths.offered.size() > 1)
            choices.push_back({binding.var.id, binding.span, call.op, StoredPart::Panels, width, widths.offered});
        if (width == 0) // as the model has them
            return;
        const LayoutPtr first = request.inner >= 0 ? chosen_.of(asked.args()[0]) : nullptr;
        RelayoutAttrs relayout;
        relayout.layout =
            panels(type->shape.size(), request.dim, width, {request.inner, first ? blockOf(first).factor : 0, false});
        const ConstantPtr packed =
            transform::computeConstant(module, binding.span, Op::Relayout, {weights}, std::move(relayout));
        LATHE_ASSERT(packed, "weights of numbers have a recipe");
        transform::Maker maker(module, binding.span);
        maker.constant(packed);
        result = maker.take(Var{module.nextVar++});
        call.args[place] = result.back()->var;
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
