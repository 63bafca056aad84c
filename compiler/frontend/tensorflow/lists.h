// SPDX-License-Identifier: Apache-2.0
//
// TensorLists and TensorArrays: a tensor of one more dim, which is read and written in slices. A list may be made
// before anything says what its elements are: then it is its length and a zero alone, until the first element comes.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend::tensorflow {

/// A list of `count` elements (int64 scalar) of unknown shape.
Value reservedList(Builder& b, Var count, DataType dtype);
bool isReserved(const Value& value);
/// The list with elements as those of another, zeros; a fault if nothing says what they are.
Value materializedLike(Builder& b, const Value& reserved, const Value& other);
/// The list as a tensor whose elements are like this one.
Var listOf(Builder& b, const Value& list, Var element);
/// Its tensor; a fault if nothing says what its elements are.
Var listTensor(NodeReader& node, Builder& b, size_t operand);

/// What an If or While takes for true: a bool, or a number that is not 0.
Var truthOf(Builder& b, Var x);

} // namespace lathe::frontend::tensorflow
