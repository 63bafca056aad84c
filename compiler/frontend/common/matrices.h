// SPDX-License-Identifier: Apache-2.0
//
// What algorithms on matrices that go column by column are made of. They run on stacks of matrices, [batch, rows,
// columns], all of a stack at once; a column is picked by a number that a loop counts, and masks say which rows are
// still to come.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// The dims before those of the matrices [.., rows, columns].
Dims outerDims(Builder& b, Var matrices);
/// [.., rows, columns] as [batch, rows, columns], and what is [batch, …] with dims in place of the batch again.
Var stacked(Builder& b, Var matrices);
Var unstacked(Builder& b, Var x, const Dims& outer);
/// Matrices with the outer dims that all of them broadcast to.
std::vector<Var> withSameOuter(Builder& b, std::vector<Var> matrices);

Var transposed(Builder& b, Var matrices);
/// [size, columns], or [size, size]: ones on the diagonal.
Var identityMatrix(Builder& b, const Expr& size, const Expr& columns, DataType dtype);
/// A stack's every row, or column, in one matrix each: x [rows] as [1, rows, 1], or [columns] as [1, 1, columns].
Var downRows(Builder& b, Var x);
Var alongColumns(Builder& b, Var x);
/// Products of columns [batch, rows] and rows [batch, columns].
Var outerProducts(Builder& b, Var column, Var row);

/// Row, column and element of a stack at a place that is int64[]: [batch, columns], [batch, rows], [batch].
Var rowAt(Builder& b, Var stack, Var place);
Var columnAt(Builder& b, Var stack, Var place);
Var elementAt(Builder& b, Var columns, Var place);
/// 0, 1, … of a dim of x: int64.
Var placesOf(Builder& b, Var x, int64_t axis);

} // namespace lathe::frontend
