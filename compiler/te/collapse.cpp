// SPDX-License-Identifier: Apache-2.0
#include "te/collapse.h"

#include "arith/analysis.h"

#include <algorithm>
#include <array>
#include <map>

namespace lathe::te {
namespace {

/// Reductions without their axes of extent 1 (the window of a 1×1 convolution), of which one may have to stay.
Dag withoutUnitReductions(const Dag& dag) {
    std::map<const arith::Storage*, TensorPtr> made;
    const auto rewrite = [&](const Expr& expr, const arith::VarMap& vars) {
        return arith::rewrite(arith::substitute(expr, vars), [&](const Expr& node) {
            if (node.kind() != arith::ExprKind::Load)
                return node;
            std::vector<Expr> at;
            for (const Expr& index : node->args)
                at.push_back(vars.empty() ? index : arith::simplify(index));
            const auto it = made.find(node->storage.get());
            return arith::load(it == made.end() ? node->storage : it->second, std::move(at));
        });
    };
    for (const TensorPtr& tensor : topologicalOrder(dag.outputs)) {
        auto result = std::make_shared<Tensor>(*tensor);
        result->self = result;
        arith::VarMap units;
        for (const ReduceAxis& axis : tensor->reduceAxes)
            if (arith::isConst(axis.extent, 1) && units.size() + 1 < tensor->reduceAxes.size())
                units[axis.var.get()] = Expr(0);
        std::erase_if(result->reduceAxes, [&](const ReduceAxis& axis) { return units.contains(axis.var.get()); });
        if (tensor->body)
            result->body = rewrite(tensor->body, units);
        if (tensor->counts)
            result->counts = arith::simplify(arith::substitute(tensor->counts, units));
        for (Condition& condition : result->conditions)
            condition.holds = rewrite(condition.holds, {});
        made[tensor.get()] = result;
    }
    Dag result = dag;
    for (std::vector<TensorPtr>* tensors : {&result.inputs, &result.outputs})
        for (TensorPtr& tensor : *tensors)
            if (const auto it = made.find(tensor.get()); it != made.end())
                tensor = it->second;
    return result;
}

/// Which dim of which tensors becomes one with the dim behind it.
using Pairs = std::map<const Tensor*, size_t>;

/// Adds what follows from making dims `dim` and `dim + 1` of `tensor` one; false if some use of the axes forbids it.
bool spread(const TensorPtr& tensor, size_t dim, Pairs& pairs) {
    if (auto [it, fresh] = pairs.emplace(tensor.get(), dim); !fresh)
        return it->second == dim;
    if (!tensor->body)
        return true;
    const Var &first = tensor->axes[dim], &second = tensor->axes[dim + 1];
    bool good = true;
    const auto check = [&](const Expr& root) {
        arith::visit(root, [&](const Expr& node) {
            if (!good || node.same(first) || node.same(second))
                return good = false;
            if (node.kind() != arith::ExprKind::Load)
                return true;
            const auto from = std::dynamic_pointer_cast<const Tensor>(node->storage);
            size_t used = 0, at = 0;
            for (size_t i = 0; i < node->args.size(); ++i)
                if (arith::mentions(node->args[i], first) || arith::mentions(node->args[i], second)) {
                    at = used == 0 ? i : at;
                    ++used;
                }
            if (used == 0)
                return true;
            good = from && used == 2 && at + 1 < node->args.size() && first.same(node->args[at]) &&
                   second.same(node->args[at + 1]) && arith::provablyEqual(from->shape[at], tensor->shape[dim]) &&
                   arith::provablyEqual(from->shape[at + 1], tensor->shape[dim + 1]) && spread(from, at, pairs);
            return false; // its indices are the axes themselves, or of others
        });
    };
    check(tensor->body);
    for (const Condition& condition : tensor->conditions)
        if (good)
            check(condition.holds);
    return good;
}

/// Whether axes `axis` and `axis + 1` of a reduction can be one: each read goes along both side by side, or by one index
/// that counts through both. Adds the pairs of dims that have to become one for that.
bool spreadReduction(const Tensor& reduction, size_t axis, Pairs& pairs) {
    const ReduceAxis &first = reduction.reduceAxes[axis], &second = reduction.reduceAxes[axis + 1];
    bool good = !reduction.counts && reduction.conditions.empty();
    arith::visit(reduction.body, [&](const Expr& node) {
        if (!good || node.same(first.var) || node.same(second.var))
            return good = false;
        if (node.kind() != arith::ExprKind::Load)
            return true;
        const auto from = std::dynamic_pointer_cast<const Tensor>(node->storage);
        std::vector<size_t> used;
        for (size_t i = 0; i < node->args.size(); ++i)
            if (arith::mentions(node->args[i], first.var) || arith::mentions(node->args[i], second.var))
                used.push_back(i);
        if (used.empty())
            return true;
        if (used.size() == 1) {
            const auto index = arith::asAffine(node->args[used[0]], std::array{first.var, second.var});
            good = index && arith::isConst(index->coefficients[1], 1) &&
                   arith::provablyEqual(index->coefficients[0], second.extent);
        } else {
            good = from && used.size() == 2 && used[1] == used[0] + 1 && first.var.same(node->args[used[0]]) &&
                   second.var.same(node->args[used[1]]) && arith::provablyEqual(from->shape[used[1]], second.extent) &&
                   spread(from, used[0], pairs);
        }
        return false;
    });
    return good;
}

/// The reduction with one axis in the place of two, which are its quotient and remainder.
Tensor withOneAxis(const Tensor& reduction, size_t axis) {
    Tensor result = reduction;
    const ReduceAxis first = reduction.reduceAxes[axis], second = reduction.reduceAxes[axis + 1];
    const Var both = arith::var(first.var->name);
    result.reduceAxes[axis] = {both, arith::simplify(first.extent * second.extent)};
    result.reduceAxes.erase(result.reduceAxes.begin() + static_cast<ptrdiff_t>(axis) + 1);
    const arith::VarMap parts = {{first.var.get(), arith::floorDiv(both, second.extent)},
                                 {second.var.get(), arith::floorMod(both, second.extent)}};
    result.body = arith::rewrite(arith::substitute(reduction.body, parts), [](const Expr& node) {
        if (node.kind() != arith::ExprKind::Load)
            return node;
        std::vector<Expr> at;
        for (const Expr& index : node->args)
            at.push_back(arith::simplify(index));
        return arith::load(node->storage, std::move(at));
    });
    return result;
}

class Collapser {
public:
    /// reduced: a reduction and which axis of it becomes one with the next; null: none.
    explicit Collapser(const Pairs& pairs, const Tensor* reduced = nullptr, size_t axis = 0)
        : pairs_(pairs), reduced_(reduced), axis_(axis) {}

    TensorPtr apply(const TensorPtr& tensor) {
        if (auto it = made_.find(tensor.get()); it != made_.end())
            return it->second;
        const bool reduced = tensor.get() == reduced_;
        auto result = std::make_shared<Tensor>(reduced ? withOneAxis(*tensor, axis_) : *tensor);
        result->self = result;
        const auto pair = pairs_.find(tensor.get());
        if (pair != pairs_.end()) {
            const auto behind = static_cast<ptrdiff_t>(pair->second) + 1;
            result->shape[pair->second] =
                arith::simplify(tensor->shape[pair->second] * tensor->shape[pair->second + 1]);
            result->shape.erase(result->shape.begin() + behind);
            if (tensor->body) {
                result->axes[pair->second] = arith::var(tensor->axes[pair->second]->name);
                result->axes.erase(result->axes.begin() + behind);
            }
        }
        if (tensor->body) {
            result->body = rewrite(reduced ? result->body : tensor->body, *tensor, *result);
            for (Condition& condition : result->conditions)
                condition.holds = rewrite(condition.holds, *tensor, *result);
        }
        return made_[tensor.get()] = result;
    }

private:
    /// Reads of collapsed tensors: along the axes by the one axis, otherwise by row times its length plus column.
    Expr rewrite(const Expr& expr, const Tensor& before, const Tensor& after) {
        const auto own = pairs_.find(&before);
        return arith::rewrite(expr, [&](const Expr& node) {
            if (node.kind() != arith::ExprKind::Load)
                return node;
            const auto from = std::dynamic_pointer_cast<const Tensor>(node->storage);
            const auto made = from ? made_.find(from.get()) : made_.end();
            if (made == made_.end())
                return node;
            std::vector<Expr> at = node->args;
            if (const auto pair = pairs_.find(from.get()); pair != pairs_.end()) {
                const size_t dim = pair->second;
                at[dim] = own != pairs_.end() && before.axes[own->second].same(at[dim])
                              ? Expr(after.axes[own->second])
                              : arith::simplify(at[dim] * from->shape[dim + 1] + at[dim + 1]);
                at.erase(at.begin() + static_cast<ptrdiff_t>(dim) + 1);
            }
            return arith::load(made->second, std::move(at));
        });
    }

    const Pairs& pairs_;
    const Tensor* reduced_;
    size_t axis_;
    std::map<const Tensor*, TensorPtr> made_;
};

Dag applied(const Dag& dag, Collapser collapser) {
    Dag result;
    for (const TensorPtr& input : dag.inputs)
        result.inputs.push_back(collapser.apply(input));
    for (const TensorPtr& tensor : topologicalOrder(dag.outputs))
        collapser.apply(tensor);
    for (const TensorPtr& each : dag.outputs)
        result.outputs.push_back(collapser.apply(each));
    return result;
}

/// One pair of axes of an output made one; nothing if there is none.
bool collapseOnce(Dag& dag) {
    for (const TensorPtr& output : dag.outputs)
        for (size_t dim = output->shape.size(); dim-- > 1;) {
            Pairs pairs;
            if (!output->body || !spread(output, dim - 1, pairs))
                continue;
            dag = applied(dag, Collapser(pairs));
            return true;
        }
    return false;
}

/// One pair of axes of a reduction made one.
bool collapseReductionOnce(Dag& dag) {
    for (const TensorPtr& tensor : topologicalOrder(dag.outputs))
        for (size_t axis = 0; axis + 1 < tensor->reduceAxes.size(); ++axis) {
            Pairs pairs;
            if (!spreadReduction(*tensor, axis, pairs))
                continue;
            dag = applied(dag, Collapser(pairs, tensor.get(), axis));
            return true;
        }
    return false;
}

} // namespace

Dag collapseAxes(const Dag& dag) {
    Dag result = withoutUnitReductions(dag);
    while (collapseOnce(result) || collapseReductionOnce(result)) {
    }
    return result;
}

} // namespace lathe::te
