// SPDX-License-Identifier: Apache-2.0
//
// Building tensor expressions and walking their DAG.
#include "te/te.h"

#include <unordered_set>

namespace lathe::te {

namespace {

std::shared_ptr<Tensor> makeTensor(std::string name, DataType dtype, std::vector<Expr> shape) {
    auto tensor = std::make_shared<Tensor>();
    tensor->name = std::move(name);
    tensor->dtype = dtype;
    tensor->shape = std::move(shape);
    tensor->self = tensor;
    return tensor;
}

std::vector<Var> makeAxes(const char* prefix, const std::vector<Expr>& extents) {
    std::vector<Var> axes;
    for (size_t i = 0; i < extents.size(); ++i)
        axes.push_back(arith::var(prefix + std::to_string(i)));
    return axes;
}

} // namespace

std::vector<TensorPtr> Tensor::inputs() const {
    std::vector<TensorPtr> result;
    std::unordered_set<const arith::Storage*> seen;
    auto collect = [&](const Expr& expr) {
        arith::visit(expr, [&](const Expr& node) {
            if (node.kind() == arith::ExprKind::Load && seen.insert(node->storage.get()).second)
                if (auto tensor = std::dynamic_pointer_cast<const Tensor>(node->storage))
                    result.push_back(tensor);
            return true;
        });
    };
    for (const Condition& condition : conditions)
        collect(condition.holds);
    if (body)
        collect(body);
    return result;
}

Expr Tensor::operator()(std::vector<Expr> indices) const {
    LATHE_ASSERT(indices.size() == shape.size(), "tensor '" + name + "' is read with another number of indices");
    return arith::load(self.lock(), std::move(indices));
}

TensorPtr placeholder(std::string name, DataType dtype, std::vector<Expr> shape) {
    return makeTensor(std::move(name), dtype, std::move(shape));
}

TensorPtr compute(std::string name, std::vector<Expr> shape, const std::function<Expr(const std::vector<Var>&)>& fn,
                  int origin) {
    std::vector<Var> axes = makeAxes("i", shape);
    Expr body = fn(axes);
    auto tensor = makeTensor(std::move(name), body.dtype(), std::move(shape));
    tensor->axes = std::move(axes);
    tensor->body = std::move(body);
    tensor->origin = origin;
    return tensor;
}

TensorPtr reduce(std::string name, std::vector<Expr> shape, ReduceKind kind, std::vector<Expr> reduceExtents,
                 const std::function<Expr(const std::vector<Var>&, const std::vector<Var>&)>& fn, int origin) {
    LATHE_ASSERT(kind != ReduceKind::None, "a reduction combines somehow");
    std::vector<Var> axes = makeAxes("i", shape);
    std::vector<Var> reduceAxes = makeAxes("k", reduceExtents);
    Expr body = fn(axes, reduceAxes);
    auto tensor = makeTensor(std::move(name), body.dtype(), std::move(shape));
    tensor->axes = std::move(axes);
    tensor->body = std::move(body);
    tensor->reduce = kind;
    for (size_t i = 0; i < reduceAxes.size(); ++i)
        tensor->reduceAxes.push_back({reduceAxes[i], reduceExtents[i]});
    tensor->origin = origin;
    return tensor;
}

TensorPtr checked(std::string name, const TensorPtr& values, tir::CheckKind kind, std::string message,
                  const std::function<Expr(const std::vector<Var>&, Expr)>& holds, int origin,
                  const std::function<Expr(const std::vector<Var>&, Expr)>& result) {
    std::vector<Var> axes = makeAxes("i", values->shape);
    const Expr value = (*values)(std::vector<Expr>(axes.begin(), axes.end()));
    Expr body = result ? result(axes, value) : value;
    auto tensor = makeTensor(std::move(name), body.dtype(), values->shape);
    tensor->conditions.push_back({holds(axes, value), kind, std::move(message)});
    tensor->axes = std::move(axes);
    tensor->body = std::move(body);
    tensor->origin = origin;
    return tensor;
}

Expr identity(ReduceKind kind, DataType dtype) {
    switch (kind) {
    case ReduceKind::Sum:
        return arith::zero(dtype);
    case ReduceKind::Prod:
        return arith::one(dtype);
    case ReduceKind::Max:
        return arith::lowest(dtype);
    case ReduceKind::Min:
        return arith::highest(dtype);
    case ReduceKind::And:
        return arith::boolImm(true);
    case ReduceKind::Or:
        return arith::boolImm(false);
    case ReduceKind::None:
        break;
    }
    LATHE_ASSERT(false, "no identity without a reduction");
    return {};
}

Expr combine(ReduceKind kind, Expr a, Expr b) {
    switch (kind) {
    case ReduceKind::Sum:
        return std::move(a) + std::move(b);
    case ReduceKind::Prod:
        return std::move(a) * std::move(b);
    case ReduceKind::Max:
        return arith::max(std::move(a), std::move(b));
    case ReduceKind::Min:
        return arith::min(std::move(a), std::move(b));
    case ReduceKind::And:
        return arith::logicalAnd(std::move(a), std::move(b));
    case ReduceKind::Or:
        return arith::logicalOr(std::move(a), std::move(b));
    case ReduceKind::None:
        break;
    }
    LATHE_ASSERT(false, "nothing to combine without a reduction");
    return {};
}

std::vector<TensorPtr> topologicalOrder(const std::vector<TensorPtr>& outputs) {
    struct Visit {
        TensorPtr tensor;
        std::vector<TensorPtr> inputs;
        size_t next = 0;
    };
    std::vector<TensorPtr> order;
    std::unordered_set<const Tensor*> seen;
    std::vector<Visit> stack;
    auto enter = [&](const TensorPtr& tensor) {
        if (seen.insert(tensor.get()).second)
            stack.push_back({tensor, tensor->inputs()});
    };
    for (const TensorPtr& output : outputs) {
        enter(output);
        while (!stack.empty()) {
            Visit& top = stack.back();
            if (top.next < top.inputs.size()) {
                TensorPtr input = top.inputs[top.next++];
                enter(input);
            } else {
                order.push_back(top.tensor);
                stack.pop_back();
            }
        }
    }
    return order;
}

} // namespace lathe::te
