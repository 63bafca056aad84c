// SPDX-License-Identifier: Apache-2.0
//
// Short forms of Builder calls that many operators are composed of. All are safe after a fault (they give neutral
// values).
#pragma once

#include "arith/analysis.h"
#include "base/limits.h"
#include "frontend/common/node_reader.h"

#include <functional>
#include <memory>
#include <span>

namespace lathe::frontend {

using relay::text;

using Dims = std::vector<Expr>;
using Ints = std::vector<int64_t>;

// ---- dims
inline constexpr int64_t farAway = 2 * limits::tensorElements; // beyond every dim, and safe to add to one
/// Dim i of a tensor, from the end if negative; 1 if there is none (after a fault).
Expr dim(Builder& b, Var x, int64_t i);
Expr product(const Dims& dims);
/// product(numerator) / product(denominator), common factors cancelled (right for dims that are 0), else rounded down;
/// and what was left to divide by: where that is 0 there is no quotient.
struct Quotient {
    Expr value, divisor;
};
Quotient quotient(const Dims& numerator, const Dims& denominator);
Dims toDims(const Ints& values);
Ints iotaInts(int64_t begin, int64_t end);

// ---- what operands must hold: a fault if they never do, a check while running where only that will tell
/// x, if `condition` holds.
Var assume(Builder& b, Var x, const Expr& condition, const std::string& message);
/// x, with `dims` for its own: each must be equal.
Var withDims(Builder& b, Var x, const Dims& dims);
/// x as an operand that is broadcast to `dims` and must not widen them (ONNX: unidirectional broadcasting). Keeps its rank.
Var fitted(Builder& b, Var x, const Dims& dims);

/// False, and a refusal, if a tensor of this shape would be out of all proportion to the operands that ask for it.
bool mayFill(Builder& b, const Dims& shape);

// ---- elementwise
Var scalarLike(Builder& b, double value, Var x); // rank 0, of x's type
Var cast(Builder& b, Var x, DataType dtype);
Var add(Builder& b, Var x, Var y);
Var sub(Builder& b, Var x, Var y);
Var mul(Builder& b, Var x, Var y);
Var div(Builder& b, Var x, Var y);
Var maximum(Builder& b, Var x, Var y);
Var minimum(Builder& b, Var x, Var y);
Var less(Builder& b, Var x, Var y);
Var equal(Builder& b, Var x, Var y);
Var where(Builder& b, Var condition, Var x, Var y);
Var addTo(Builder& b, Var x, double value);
Var mulBy(Builder& b, Var x, double value);

// ---- one rounding: what an operator of the model is made of computes in its operands' compute type (base/data_type.h)
DataType computeType(Builder& b, Var x);
/// fn of x, in float32 if x is a narrower float, and what comes out in x's type: parts on the way to a result that fits
/// neither round nor overflow.
Var inSingle(Builder& b, Var x, const std::function<Var(Var)>& fn);
/// fn of x in float64, where parts cancel that even float32 would not leave enough of, and what comes out in x's type.
Var inDouble(Builder& b, Var x, const std::function<Var(Var)>& fn);
/// What a product of x and y says of its result's type: Void if it is theirs, or none is asked for.
DataType productType(Builder& b, Var x, Var y, DataType wanted);

// ---- constants
/// Elements of dtype as a constant, row-major; as many as the dims have.
template <class T>
Var listConstant(Builder& b, DataType dtype, std::vector<int64_t> shape, std::vector<T> elements) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(elements));
    const model::Bytes bytes{owner, std::as_bytes(std::span(*owner))};
    return b.constant(relay::makeConstant(dtype, std::move(shape), bytes));
}
/// The same of numbers, in float32 or float64.
Var realConstant(Builder& b, DataType dtype, std::vector<int64_t> shape, std::vector<double> elements);
/// The same of strings; without a shape they are a vector.
Var textConstant(Builder& b, std::vector<int64_t> shape, std::vector<std::string> strings);
Var textConstant(Builder& b, std::vector<std::string> strings);

// ---- movement
Var reshape(Builder& b, Var x, Dims shape);
/// A tensor of one element with rank 0.
Var asScalar(Builder& b, Var x);
Var transpose(Builder& b, Var x, Ints axes);
/// axes: places of the new dims in the result, ascending.
Var unsqueeze(Builder& b, Var x, const Ints& axes);
/// axes: ascending dims of x to drop.
Var squeeze(Builder& b, Var x, const Ints& axes);
Var sliceAxis(Builder& b, Var x, int64_t axis, Expr begin, Expr size);
Var reverse(Builder& b, Var x, int64_t axis);
Var concat(Builder& b, std::vector<Var> parts, int64_t axis);
Var expand(Builder& b, Var x, Dims shape);
Var full(Builder& b, Var scalar, Dims shape);
Var iota(Builder& b, Dims shape, int64_t axis, DataType dtype);
Var gather(Builder& b, Var x, Var indices, int64_t axis);
Var pad(Builder& b, Var x, const std::string& mode, Dims before, Dims after, Ints interior = {}, Var value = {});
/// A rank-1 tensor as [1, …, n, …, 1] with n at `axis` of `rank` dims.
Var alongAxis(Builder& b, Var x, int64_t axis, int64_t rank);
/// A rank-1 tensor along `axis` of `other`, which it must fit.
Var fittedAlong(Builder& b, Var x, int64_t axis, Var other);

// ---- reductions and products
Var reduce(Builder& b, const std::string& kind, Var x, Ints axes, bool keepDims);
/// out: the result's type; Void: the operands'. A product reads narrow operands as they are and sums in the type that it gives.
Var matmul(Builder& b, Var x, Var y, bool transposeX = false, bool transposeY = false, DataType out = types::Void);
Var softmax(Builder& b, Var x, int64_t axis);

} // namespace lathe::frontend
