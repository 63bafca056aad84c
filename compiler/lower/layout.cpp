// SPDX-License-Identifier: Apache-2.0
#include "lower/layout.h"

#include "arith/analysis.h"
#include "relay/choose/channel_blocks.h"
#include "relay/type_map.h"

#include <algorithm>

namespace lathe::lower {
namespace {

using arith::Expr;
using te::Tensor;
using te::TensorPtr;

std::vector<Expr> storedIndices(const std::vector<Expr>& logical, const relay::Layout& layout) {
    std::vector<Expr> result;
    for (const relay::Layout::Axis& axis : layout.axes) {
        const Expr& index = logical[static_cast<size_t>(axis.dim)];
        result.push_back(axis.factor == 0 ? index
                                          : arith::simplify(axis.outer ? arith::floorDiv(index, axis.factor)
                                                                       : arith::floorMod(index, axis.factor)));
    }
    return result;
}

/// By how much a layout splits a dim; 0: not.
int64_t splitOf(const relay::Layout& layout, size_t dim) {
    for (const relay::Layout::Axis& axis : layout.axes)
        if (static_cast<size_t>(axis.dim) == dim && axis.factor != 0)
            return axis.factor;
    return 0;
}

/// The logical axes of a stored tensor by its own ones.
struct Axes {
    arith::VarMap plain;
    arith::VarMap clamped; // those that reach into padding, kept within their dims
    Expr inside;           // no such axis is in the padding; null: there are none
};

class Applier {
public:
    explicit Applier(const TensorLayouts& layouts) : layouts_(layouts) {}

    TensorPtr apply(const TensorPtr& tensor) {
        const relay::LayoutPtr layout = layoutOf(*tensor);
        auto stored = std::make_shared<Tensor>(*tensor);
        stored->self = stored;
        stored->shape = relay::storedShape(tensor->shape, layout);
        if (tensor->body) {
            Axes axes;
            if (layout)
                stored->axes = splitAxes(*tensor, *layout, axes);
            splitReduceAxes(*tensor, *stored, axes.plain);
            stored->body = rewrite(tensor->body, axes);
            for (te::Condition& condition : stored->conditions) {
                condition.holds = rewrite(condition.holds, axes);
                if (axes.inside)
                    condition.holds = arith::logicalOr(arith::logicalNot(axes.inside), condition.holds);
            }
        }
        stored_[tensor.get()] = {stored, layout};
        return stored;
    }

private:
    struct Stored {
        TensorPtr tensor;
        relay::LayoutPtr layout;
    };

    /// fn for each read of a tensor with a layout.
    template <class Fn>
    void forEachRead(const Tensor& tensor, const Fn& fn) const {
        arith::visit(tensor.body, [&](const Expr& node) {
            if (node.kind() == arith::ExprKind::Load)
                if (auto it = stored_.find(node->storage.get()); it != stored_.end() && it->second.layout)
                    fn(*static_cast<const Tensor*>(node->storage.get()), node->args, it->second.layout);
            return true;
        });
    }

    relay::LayoutPtr layoutOf(const Tensor& tensor) const {
        if (auto it = layouts_.find(&tensor); it != layouts_.end())
            return it->second;
        relay::LayoutPtr inherited;
        if (tensor.body)
            forEachRead(tensor, [&](const Tensor& from, const std::vector<Expr>& at, const relay::LayoutPtr& layout) {
                if (!inherited)
                    inherited = along(tensor, from, at, *layout) ? layout : blocksAsIn(tensor, from, at, *layout);
            });
        return inherited;
    }

    /// Whether a read goes along the tensor's own axes wherever the layout splits.
    static bool along(const Tensor& tensor, const Tensor& from, const std::vector<Expr>& at,
                      const relay::Layout& layout) {
        bool same = from.shape.size() == tensor.shape.size();
        for (size_t dim = 0; same && dim < at.size(); ++dim)
            if (splitOf(layout, dim) != 0)
                same = tensor.axes[dim].same(arith::simplify(at[dim])) &&
                       arith::provablyEqual(from.shape[dim], tensor.shape[dim]);
        return same;
    }

    /// Of a tensor with other axes than what it reads: blocks along the axis that walks the one dim that is split there.
    static relay::LayoutPtr blocksAsIn(const Tensor& tensor, const Tensor& from, const std::vector<Expr>& at,
                                       const relay::Layout& layout) {
        relay::LayoutPtr blocks;
        for (size_t dim = 0; dim < at.size(); ++dim)
            if (const int64_t width = splitOf(layout, dim); width != 0)
                for (size_t axis = 0; axis < tensor.axes.size(); ++axis)
                    if (tensor.axes[axis].same(at[dim]) && arith::provablyEqual(from.shape[dim], tensor.shape[axis])) {
                        if (blocks)
                            return nullptr;
                        blocks = relay::choose::blocksAlong(tensor.shape.size(), axis, width);
                    }
        return blocks;
    }

    /// The stored tensor's axes; `logical` gets what the logical ones are by them.
    static std::vector<arith::Var> splitAxes(const Tensor& tensor, const relay::Layout& layout, Axes& logical) {
        std::vector<arith::Var> axes;
        for (const relay::Layout::Axis& stored : layout.axes) {
            const arith::Var& axis = tensor.axes[static_cast<size_t>(stored.dim)];
            const Expr& dim = tensor.shape[static_cast<size_t>(stored.dim)];
            if (stored.factor == 0) {
                axes.push_back(axis);
                continue;
            }
            axes.push_back(part(axis, stored.factor, stored.outer, dim));
            const Expr here = stored.outer ? axes.back() * stored.factor : Expr(axes.back());
            auto [it, fresh] = logical.plain.emplace(axis.get(), here);
            if (fresh)
                continue;
            it->second = stored.outer ? here + it->second : it->second + here;
            if (arith::divisible(dim, stored.factor))
                continue;
            logical.clamped[axis.get()] = arith::min(it->second, dim - 1);
            const Expr within = arith::lt(it->second, dim);
            logical.inside = logical.inside ? arith::logicalAnd(logical.inside, within) : within;
        }
        return axes;
    }

    /// A reduction along a dim that an operand's layout splits runs over panels, and within each, up to the dim's end.
    void splitReduceAxes(const Tensor& tensor, Tensor& stored, arith::VarMap& vars) const {
        std::vector<te::ReduceAxis> outer, inner;
        std::vector<Expr> counts;
        for (const te::ReduceAxis& axis : tensor.reduceAxes) {
            int64_t factor = 0;
            forEachRead(tensor, [&](const Tensor&, const std::vector<Expr>& at, const relay::LayoutPtr& layout) {
                for (size_t dim = 0; dim < at.size(); ++dim)
                    if (axis.var.same(at[dim]))
                        factor = std::max(factor, splitOf(*layout, dim));
            });
            if (factor == 0) {
                outer.push_back(axis);
                continue;
            }
            const arith::Var panel = part(axis.var, factor, true, axis.extent);
            const arith::Var within = part(axis.var, factor, false, axis.extent);
            outer.push_back({panel, arith::simplify(arith::ceilDiv(axis.extent, factor))});
            inner.push_back({within, factor});
            vars[axis.var.get()] = panel * factor + within;
            if (!arith::divisible(axis.extent, factor))
                counts.push_back(arith::lt(panel * factor + within, axis.extent));
        }
        outer.insert(outer.end(), inner.begin(), inner.end());
        stored.reduceAxes = std::move(outer);
        stored.counts = arith::conjunction(counts);
    }

    /// The outer or inner part of an axis of `extent` elements. An outer one's end is known where it says that padding is read
    /// as stored.
    static arith::Var part(const arith::Var& axis, int64_t factor, bool outer, const Expr& extent) {
        constexpr int64_t open = std::numeric_limits<int64_t>::max();
        const int64_t last =
            arith::divisible(extent, factor) ? open : arith::bounds(arith::ceilDiv(extent, factor)).upper - 1;
        return outer ? arith::var(axis->name + "o", types::Index, 0, last)
                     : arith::var(axis->name + "i", types::Index, 0, factor - 1);
    }

    Expr rewrite(const Expr& expr, const Axes& axes) const {
        const Expr inside = arith::rewrite(expr, [&](const Expr& node) {
            if (node.kind() != arith::ExprKind::Load)
                return node;
            auto it = stored_.find(node->storage.get());
            const Stored from = it == stored_.end() ? Stored{} : it->second;
            const auto& shape = static_cast<const Tensor*>(node->storage.get())->shape;
            std::vector<Expr> at;
            for (size_t dim = 0; dim < node->args.size(); ++dim)
                at.push_back(index(node->args[dim], axes, shape[dim], from.layout ? splitOf(*from.layout, dim) : 0));
            return arith::load(from.tensor ? from.tensor : node->storage,
                               from.layout ? storedIndices(at, *from.layout) : std::move(at));
        });
        return arith::substitute(inside, axes.plain);
    }

    /// An index by the stored axes. In the padding it may go on as far as the operand's own padding does.
    static Expr index(const Expr& logical, const Axes& axes, const Expr& extent, int64_t split) {
        const Expr plain = arith::substitute(logical, axes.plain);
        const bool padding = std::ranges::any_of(
            arith::freeVars(logical), [&](const arith::Var& var) { return axes.clamped.contains(var.get()); });
        if (!padding)
            return plain;
        const Expr stored = split == 0 ? extent : arith::ceilDiv(extent, split) * split;
        if (arith::bounds(arith::simplify(plain)).lower >= 0 &&
            arith::bounds(arith::simplify(stored - plain)).lower >= 1)
            return plain;
        arith::VarMap clamped = axes.plain;
        for (const auto& [axis, within] : axes.clamped)
            clamped[axis] = within;
        return arith::substitute(logical, clamped);
    }

    const TensorLayouts& layouts_;
    std::unordered_map<const arith::Storage*, Stored> stored_;
};

} // namespace

te::Dag applyLayouts(const te::Dag& dag, const TensorLayouts& layouts) {
    if (std::ranges::none_of(layouts, [](const auto& entry) { return entry.second != nullptr; }))
        return dag;
    Applier applier(layouts);
    std::unordered_map<const Tensor*, TensorPtr> made;
    for (const TensorPtr& input : dag.inputs)
        made[input.get()] = applier.apply(input);
    for (const TensorPtr& tensor : te::topologicalOrder(dag.outputs))
        if (!made.contains(tensor.get()))
            made[tensor.get()] = applier.apply(tensor);
    te::Dag result;
    for (const TensorPtr& input : dag.inputs)
        result.inputs.push_back(made.at(input.get()));
    for (const TensorPtr& output : dag.outputs)
        result.outputs.push_back(made.at(output.get()));
    return result;
}

} // namespace lathe::lower
