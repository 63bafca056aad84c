// SPDX-License-Identifier: Apache-2.0
//
// What all operator families say in the same words: values in the type to compute in, indices under broadcasting, indices that
// stay in bounds where a select masks them, and typed constants.
#pragma once

#include "topi/topi.h"

namespace lathe::topi {

using arith::Expr;
using arith::Intrinsic;
using arith::Var;
using te::TensorPtr;
using Indices = std::vector<Expr>;
using Shape = std::vector<Expr>;

Indices asIndices(const std::vector<Var>& vars);

/// The value in its compute type (base/data_type.h).
Expr widen(const Expr& value);
/// The value in dtype (no node if it is already).
Expr convert(const Expr& value, DataType dtype);
/// A number in any numeric type.
Expr number(double value, DataType dtype);
Expr int64(int64_t value);
/// Index of data as an index expression, and an index as data.
Expr toIndex(const Expr& value);

/// Where an operand with `shape` is read for the element `axes` of a result with `resultShape` (NumPy broadcasting).
Indices broadcastIndices(const Shape& shape, const Shape& resultShape, const std::vector<Var>& axes);
/// `index` kept within [0, extent): masked positions are loaded too and must not leave the buffer.
Expr clampIndex(const Expr& index, const Expr& extent);
/// A size to divide by: at least 1, for a symbolic size may be 0 where a division is hoisted out of an empty loop.
Expr divisor(const Expr& size);
/// min(max(value, low), high)
Expr clamp(const Expr& value, const Expr& low, const Expr& high);
Expr product(const Shape& dims, size_t from = 0);
Expr product(const Shape& dims, size_t from, size_t to);

/// Row-major position of indices in shape, and back.
Expr flatten(const Indices& indices, const Shape& shape);
Indices unflatten(const Expr& flat, const Shape& shape);

/// An index value that may count from the end, as a non-negative index.
Expr wrapIndex(const Expr& value, const Expr& extent);

/// values[position] as selects; position is in range.
Expr selectAt(const Expr& position, const std::vector<Expr>& values);

const relay::TensorType& resultTensor(const CallContext& call, int field = 0);
/// Axis that may count from the end.
size_t axisOf(int64_t axis, size_t rank);

/// A stage that only converts, or the tensor itself if it has the type already.
TensorPtr converted(const TensorPtr& tensor, DataType dtype, const std::string& name, int origin);

} // namespace lathe::topi
