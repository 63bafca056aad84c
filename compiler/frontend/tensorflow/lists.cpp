// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/lists.h"

namespace lathe::frontend::tensorflow {
namespace {

constexpr size_t parts = 2; // of a reserved list: its count, and a zero

Value valueOfVar(Var var) {
    return Value{.var = var, .sequence = nullptr, .none = false};
}

/// Zeros for so many elements of a shape.
Var zerosOf(Builder& b, const Value& reserved, Dims element) {
    const Var count = (*reserved.sequence)[0].var, zero = (*reserved.sequence)[1].var;
    const Dims size = b.symbolic(count, "count");
    if (b.failed())
        return {};
    element.insert(element.begin(), size.empty() ? Expr(1) : size[0]);
    if (!mayFill(b, element))
        return {};
    const Var counted = assume(b, zero, arith::ge(element[0], 0), "a list has no negative length");
    return full(b, counted, std::move(element));
}

} // namespace

Value reservedList(Builder& b, Var count, DataType dtype) {
    Value list;
    list.sequence = std::make_shared<const std::vector<Value>>(
        std::vector<Value>{valueOfVar(count), valueOfVar(b.scalar(0, dtype))});
    return list;
}

bool isReserved(const Value& value) {
    return value.sequence && value.sequence->size() == parts;
}

Value materializedLike(Builder& b, const Value& reserved, const Value& other) {
    if (!other.var || b.failed() || !b.isTensor(other.var) || b.rank(other.var) == 0) {
        b.fail("nothing says what the elements of a list are that a loop carries",
               "give the list an element_shape when exporting the model", ErrorKind::Unsupported);
        return {};
    }
    Dims element = b.shape(other.var);
    element.erase(element.begin());
    return valueOfVar(zerosOf(b, reserved, std::move(element)));
}

Var listOf(Builder& b, const Value& list, Var element) {
    if (b.failed())
        return {};
    return isReserved(list) ? zerosOf(b, list, b.shape(element)) : list.var;
}

Var listTensor(NodeReader& node, Builder&, size_t operand) {
    const Value* list = node.value(operand);
    if (list && !isReserved(*list))
        return node.in(operand);
    node.refuse("nothing says what the elements of the list are, for none was put into it");
    return {};
}

Var truthOf(Builder& b, Var x) {
    const Var scalar = asScalar(b, x);
    if (b.failed() || b.dtype(scalar).isBool())
        return scalar;
    return b.call(Op::NotEqual, {scalar, scalarLike(b, 0, scalar)});
}

} // namespace lathe::frontend::tensorflow
