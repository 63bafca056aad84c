// SPDX-License-Identifier: Apache-2.0
//
// Sizes of values in the entry, checked before anything uses them: their dims are made of the inputs' dims or of data, so
// their products may be anything.
//
// Index arithmetic is done in int64, which wraps, so that it cannot tell whether it did. The conditions made here do the
// same arithmetic in float64, which does not wrap and is exact far enough from the limits: what is beyond int64 is beyond
// it in float64 too. Where a condition holds, the int64 arithmetic behind it is that of mathematical integers.
#pragma once

#include "relay/ir.h"
#include "tir/ir.h"

#include <optional>

namespace lathe::lower {

arith::Expr elementsOf(const std::vector<arith::Expr>& shape);
arith::Expr bytesOf(const relay::TensorType& type);

/// That no part of the index arithmetic in these expressions leaves int64, sides of a select that are not taken left out;
/// null if that is provable. The expressions read no memory.
arith::Expr computable(const std::vector<arith::Expr>& exprs);

/// That an index expression is computable and at most `most`; null if provable.
arith::Expr within(const arith::Expr& index, int64_t most);

struct SizeCondition {
    arith::Expr holds;
    std::string message;
};

/// That the dims are computable and not negative, and that their product is within limits::tensorElements, even with dims
/// of 0 left out: then the product of any of them is, in whatever order a kernel multiplies. Nothing if provable.
std::optional<SizeCondition> sizeCondition(DataType dtype, const std::vector<arith::Expr>& shape);

/// The largest index expressions of a kernel that are over its scalars alone: extents, strides, offsets.
std::vector<arith::Expr> scalarIndices(const tir::PrimFunc& computation);

} // namespace lathe::lower
