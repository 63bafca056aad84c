// SPDX-License-Identifier: Apache-2.0
//
// Value rules by family: elements of a result from known elements of the operands. Integers and bools are index expressions
// (bools 0 or 1); constants wrap as their data type does, symbolic values are assumed not to overflow. Floats are FloatImms.
#pragma once

#include "relay/rules.h"

namespace lathe::relay {

using Elements = std::vector<Expr>;
using Known = std::vector<const Elements*>;

struct ValueCall {
    Op op;
    const TensorType* result;   // its dims are constants
    std::vector<int64_t> shape; // of the result
    int64_t count;              // elements of the result
    const std::vector<Type>& args;
    const Known& known;
    const AttrsPtr& attrs;

    const TensorType& tensor(size_t arg) const { return *asTensor(args[arg]); }
    /// Dims of an operand; a known operand's are constants.
    std::vector<int64_t> dims(size_t arg) const;
};

namespace values {

std::optional<Elements> elementwise(const ValueCall& call);
std::optional<Elements> movement(const ValueCall& call);
std::optional<Elements> reduce(const ValueCall& call);
std::optional<Elements> cumSum(const ValueCall& call);
std::optional<Elements> scatter(const ValueCall& call);

/// One result of a binary operator on elements of `dtype`; a null Expr if it is not known.
Expr binaryElement(Op op, const Expr& a, const Expr& b, DataType dtype, const AttrsPtr& attrs);
/// An integer wrapped to the width of `dtype`.
int64_t wrap(int64_t value, DataType dtype);

/// Odometer over `shape`: the coordinates of element i, in row-major order.
std::vector<int64_t> coordinates(int64_t element, const std::vector<int64_t>& shape);
int64_t flatten(const std::vector<int64_t>& at, const std::vector<int64_t>& shape);
/// The element of an operand of `from` dims that broadcasting puts at `at`.
int64_t broadcastIndex(const std::vector<int64_t>& at, const std::vector<int64_t>& from);

} // namespace values
} // namespace lathe::relay
