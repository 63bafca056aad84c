// SPDX-License-Identifier: Apache-2.0
//
// Reductions along axes of one tensor: shared by Reduce, softmax, normalisations and index reductions.
#pragma once

#include "topi/expressions.h"

namespace lathe::topi {

/// Which axes of a tensor are reduced.
struct ReducedAxes {
    std::vector<bool> reduced;
    bool keepDims = false;

    ReducedAxes(size_t rank, const std::vector<int64_t>& axes, bool keepDims);
    Shape resultShape(const Shape& shape) const;
    Shape extents(const Shape& shape) const;
    /// Operand indices from those of the result and of the reduce axes.
    Indices operandIndices(const std::vector<Var>& axes, const std::vector<Var>& reduceAxes) const;
    /// Indices of the result for an element of the operand.
    Indices resultIndices(const std::vector<Var>& operandAxes) const;
};

/// The reduction of element(x's indices) over the axes.
TensorPtr reduceOver(const std::string& name, const Shape& shape, const ReducedAxes& axes, te::ReduceKind kind,
                     const std::function<Expr(const Indices&)>& element, int origin);

} // namespace lathe::topi
