// SPDX-License-Identifier: Apache-2.0
#include "lower/layout.h"

#include "arith/analysis.h"

#include <algorithm>

namespace lathe::lower {
namespace {

using arith::Expr;
using arith::Var;
using te::Tensor;
using te::TensorPtr;

std::vector<Expr> storedShape(const Tensor& tensor, const relay::Layout& layout) {
    std::vector<Expr> shape;
    for (const relay::Layout::Axis& axis : layout.axes) {
        const Expr& dim = tensor.shape[static_cast<size_t>(axis.dim)];
        LATHE_ASSERT(axis.factor == 0 || arith::divisible(dim, axis.factor), "a layout's split divides its dim");
        shape.push_back(axis.factor == 0 ? dim
                        : axis.outer     ? arith::simplify(arith::floorDiv(dim, axis.factor))
                                         : Expr(axis.factor));
    }
    return shape;
}

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

class Applier {
public:
    explicit Applier(const TensorLayouts& layouts) : layouts_(layouts) {}

    TensorPtr apply(const TensorPtr& tensor) {
        const relay::LayoutPtr layout = layoutOf(*tensor);
        auto stored = std::make_shared<Tensor>(*tensor);
        stored->self = stored;
        if (layout)
            stored->shape = storedShape(*tensor, *layout);
        if (tensor->body) {
            arith::VarMap vars;
            if (layout)
                stored->axes = splitAxes(*tensor, *layout, vars);
            stored->reduceAxes = splitReduceAxes(*tensor, vars);
            stored->body = rewrite(tensor->body, vars);
            for (te::Condition& condition : stored->conditions)
                condition.holds = rewrite(condition.holds, vars);
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
                bool along = from.shape.size() == tensor.shape.size();
                for (size_t dim = 0; along && dim < at.size(); ++dim)
                    if (splitOf(*layout, dim) != 0)
                        along = tensor.axes[dim].same(arith::simplify(at[dim])) &&
                                arith::provablyEqual(from.shape[dim], tensor.shape[dim]);
                if (along && !inherited)
                    inherited = layout;
            });
        return inherited;
    }

    /// The stored tensor's axes; vars gets what the logical ones are by them.
    static std::vector<Var> splitAxes(const Tensor& tensor, const relay::Layout& layout, arith::VarMap& vars) {
        std::vector<Var> axes;
        for (const relay::Layout::Axis& stored : layout.axes) {
            const Var& axis = tensor.axes[static_cast<size_t>(stored.dim)];
            if (stored.factor == 0) {
                axes.push_back(axis);
                continue;
            }
            axes.push_back(part(axis, stored.factor, stored.outer));
            const Expr here = stored.outer ? axes.back() * stored.factor : Expr(axes.back());
            auto [it, fresh] = vars.emplace(axis.get(), here);
            if (!fresh)
                it->second = stored.outer ? here + it->second : it->second + here;
        }
        return axes;
    }

    /// A reduction along a dim that an operand's layout splits runs over panels, and within each.
    std::vector<te::ReduceAxis> splitReduceAxes(const Tensor& tensor, arith::VarMap& vars) const {
        std::vector<te::ReduceAxis> outer, inner;
        for (const te::ReduceAxis& axis : tensor.reduceAxes) {
            int64_t factor = 0;
            forEachRead(tensor, [&](const Tensor&, const std::vector<Expr>& at, const relay::LayoutPtr& layout) {
                for (size_t dim = 0; dim < at.size(); ++dim)
                    if (axis.var.same(at[dim]))
                        factor = std::max(factor, splitOf(*layout, dim));
            });
            if (factor == 0 || !arith::divisible(axis.extent, factor)) {
                outer.push_back(axis);
                continue;
            }
            const Var panel = part(axis.var, factor, true), within = part(axis.var, factor, false);
            outer.push_back({panel, arith::simplify(arith::floorDiv(axis.extent, factor))});
            inner.push_back({within, factor});
            vars[axis.var.get()] = panel * factor + within;
        }
        outer.insert(outer.end(), inner.begin(), inner.end());
        return outer;
    }

    static Var part(const Var& axis, int64_t factor, bool outer) {
        return outer ? arith::var(axis->name + "o", types::Index, 0)
                     : arith::var(axis->name + "i", types::Index, 0, factor - 1);
    }

    Expr rewrite(const Expr& expr, const arith::VarMap& vars) const {
        return arith::rewrite(arith::substitute(expr, vars), [&](const Expr& node) {
            if (node.kind() != arith::ExprKind::Load)
                return node;
            auto it = stored_.find(node->storage.get());
            if (it == stored_.end())
                return node;
            const auto& [tensor, layout] = it->second;
            return arith::load(tensor, layout ? storedIndices(node->args, *layout) : node->args);
        });
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
