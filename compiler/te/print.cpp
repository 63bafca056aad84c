// SPDX-License-Identifier: Apache-2.0
//
// Text of tensor expressions, one line a tensor, producers first:
//   A = placeholder float32[m, 64]
//   C[i0 < m] = float32 sum(k0 < 64) A[i0, k0] origin 1
#include "te/te.h"

#include <fmt/format.h>

namespace lathe::te {

namespace {

const char* nameOf(ReduceKind kind) {
    switch (kind) {
    case ReduceKind::None:
        return "";
    case ReduceKind::Sum:
        return "sum";
    case ReduceKind::Prod:
        return "prod";
    case ReduceKind::Max:
        return "max";
    case ReduceKind::Min:
        return "min";
    case ReduceKind::And:
        return "and";
    case ReduceKind::Or:
        return "or";
    }
    return "";
}

std::string domain(const Var& axis, const Expr& extent) {
    return fmt::format("{} < {}", toString(axis), toString(extent));
}

std::string printTensor(const Tensor& tensor) {
    std::vector<std::string> parts;
    if (!tensor.body) {
        for (const Expr& dim : tensor.shape)
            parts.push_back(toString(dim));
        return fmt::format("{} = placeholder {}[{}]", tensor.name, toString(tensor.dtype), fmt::join(parts, ", "));
    }
    for (size_t i = 0; i < tensor.axes.size(); ++i)
        parts.push_back(domain(tensor.axes[i], tensor.shape[i]));
    std::string text = fmt::format("{}[{}] = {} ", tensor.name, fmt::join(parts, ", "), toString(tensor.dtype));
    if (tensor.reduce != ReduceKind::None) {
        parts.clear();
        for (const ReduceAxis& axis : tensor.reduceAxes)
            parts.push_back(domain(axis.var, axis.extent));
        text += fmt::format("{}({}{}) ", nameOf(tensor.reduce), fmt::join(parts, ", "),
                            tensor.counts ? " where " + toString(tensor.counts) : "");
    }
    text += toString(tensor.body);
    for (const Condition& condition : tensor.conditions)
        text += fmt::format(" if {} else \"{}\"", toString(condition.holds), condition.message);
    return text + fmt::format(" origin {}", tensor.origin);
}

} // namespace

std::string print(const std::vector<TensorPtr>& outputs) {
    std::string text;
    for (const TensorPtr& tensor : topologicalOrder(outputs))
        text += printTensor(*tensor) + "\n";
    return text;
}

} // namespace lathe::te
