// SPDX-License-Identifier: Apache-2.0
//
// Tensor expressions: a DAG of tensors, each an expression over its axes. A tensor without computation is a placeholder.
// Reading a tensor at indices is an arith Load of it (operator()), so one expression language serves all levels.
#pragma once

#include "arith/expr.h"
#include "tir/ir.h"

#include <functional>

namespace lathe::te {

using arith::Expr;
using arith::Var;

enum class ReduceKind : uint8_t { None, Sum, Prod, Max, Min, And, Or };

struct ReduceAxis {
    Var var;
    Expr extent; // domain [0, extent)
};

/// A condition over a tensor's axes that must hold for each element; otherwise the kernel returns a status.
struct Condition {
    Expr holds;
    tir::CheckKind kind;
    std::string message;
};

struct Tensor : arith::Storage {
    std::vector<Expr> shape;
    std::vector<Var> axes; // empty for a placeholder of rank > 0
    Expr body;             // over axes and reduce axes; null: placeholder
    ReduceKind reduce = ReduceKind::None;
    std::vector<ReduceAxis> reduceAxes;
    Expr counts;                       // over reduce axes: whether an element of the reduction counts; null: all do
    int origin = 0;                    // ordinal of the binding in the fused function
    std::vector<Condition> conditions; // checked before each element is computed; such a tensor is never inlined
    std::vector<std::shared_ptr<const struct Tensor>> inputs() const; // distinct tensors that body loads, in order

    /// Element at indices (as many as dims, of type index).
    Expr operator()(std::vector<Expr> indices) const;
    std::weak_ptr<const Tensor> self;
};
using TensorPtr = std::shared_ptr<const Tensor>;

TensorPtr placeholder(std::string name, DataType dtype, std::vector<Expr> shape);

/// shape[i] elements along axis i; fn gets one index Var an axis.
TensorPtr compute(std::string name, std::vector<Expr> shape, const std::function<Expr(const std::vector<Var>&)>& fn,
                  int origin);

/// Reduction: fn gets axes and reduce axes and gives the element to combine. Sum over an empty domain is 0, Max the lowest value.
TensorPtr reduce(std::string name, std::vector<Expr> shape, ReduceKind kind, std::vector<Expr> reduceExtents,
                 const std::function<Expr(const std::vector<Var>&, const std::vector<Var>&)>& fn, int origin);

/// `values` again, each element under a condition: what operators that may fail put before the computation that could trap.
/// holds gets the axes and the element, and so does result, which says what is kept instead of it.
TensorPtr checked(std::string name, const TensorPtr& values, tir::CheckKind kind, std::string message,
                  const std::function<Expr(const std::vector<Var>&, Expr)>& holds, int origin,
                  const std::function<Expr(const std::vector<Var>&, Expr)>& result = nullptr);

/// The identity of a reduction in dtype, and its combination of two values.
Expr identity(ReduceKind kind, DataType dtype);
Expr combine(ReduceKind kind, Expr a, Expr b);

/// All tensors that outputs depend on, producers first, each once.
std::vector<TensorPtr> topologicalOrder(const std::vector<TensorPtr>& outputs);

/// Stable text, for people and golden tests.
std::string print(const std::vector<TensorPtr>& outputs);

/// A PrimFunc with one Block for each computed tensor, in topological order, plain loops, no schedule. Parameters: a
/// Global buffer for each of `inputs` (placeholders), each output, then `scalars` (the symbols that shapes use). Tensors
/// in between are Workspace buffers allocated around the body. Each Block has the name and origin of its tensor.
tir::PrimFuncPtr toTir(std::string name, const std::vector<TensorPtr>& inputs, const std::vector<TensorPtr>& outputs,
                       const std::vector<Var>& scalars);

} // namespace lathe::te
