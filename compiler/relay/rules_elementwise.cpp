// SPDX-License-Identifier: Apache-2.0
//
// Type rules of elementwise operators: which data types each takes, and NumPy broadcasting.
#include "relay/rule_families.h"

#include <fmt/format.h>

namespace lathe::relay::rules {
namespace {

bool isFloatOnly(Op op) {
    return op >= Op::Sqrt && op <= Op::Reciprocal;
}
bool isBitwise(Op op) {
    return op == Op::BitwiseNot || (op >= Op::BitwiseAnd && op <= Op::RightShift);
}

Result<void> checkType(Op op, DataType dtype) {
    bool good = isFloatOnly(op)        ? dtype.isFloat()
                : isBitwise(op)        ? dtype.isInt()
                : op == Op::LogicalNot ? dtype.isBool()
                : op == Op::Equal || op == Op::NotEqual
                    ? dtype.isFloat() || dtype.isInt() || dtype.isBool() || dtype == types::String
                : op == Op::Maximum || op == Op::Minimum ? dtype.isFloat() || dtype.isInt() || dtype.isBool()
                                                         : dtype.isFloat() || dtype.isInt();
    if (!good)
        return failure(fmt::format("{} of {}", info(op).name, toString(dtype)));
    return {};
}

/// The layout that a result of `shape` has in common with its operands of that shape, or none.
LayoutPtr commonLayout(const TensorType& a, const TensorType& b) {
    auto same = [](const LayoutPtr& x, const LayoutPtr& y) { return x == y || (x && y && *x == *y); };
    if (a.shape.size() == b.shape.size())
        return same(a.layout, b.layout) ? a.layout : nullptr;
    return a.shape.size() > b.shape.size() ? a.layout : b.layout;
}

Result<Type> broadcastPair(RuleContext& context, const TensorType& a, const TensorType& b, DataType dtype) {
    LATHE_TRY(std::vector<Expr> shape, broadcastShapes(a.shape, b.shape, &context));
    return tensorType(dtype, std::move(shape), commonLayout(a, b));
}

} // namespace

Result<Type> sameAsOperand(Op, RuleContext& context) {
    if (!context.args()[0])
        return failure("operand 1 is missing");
    return context.args()[0];
}

Result<Type> unary(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    LATHE_CHECKED(checkType(op, x->dtype));
    return context.args()[0];
}

Result<Type> test(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    if (!x->dtype.isFloat())
        return failure(fmt::format("{} of {}", info(op).name, toString(x->dtype)));
    return tensorType(types::Bool, x->shape, x->layout);
}

Result<Type> cast(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    LATHE_CHECKED(checkWord("round", attrs<CastAttrs>(context.attrs()).round, {"even", "up", "down", "nearest"}));
    DataType dtype = attrs<CastAttrs>(context.attrs()).dtype;
    if (dtype.code == TypeCode::Void || dtype.code == TypeCode::Index || dtype.code == TypeCode::Handle ||
        dtype == types::String)
        return failure(fmt::format("cast to {}", toString(dtype)));
    return tensorType(dtype, x->shape, x->layout);
}

Result<Type> bitCast(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    DataType dtype = attrs<CastAttrs>(context.attrs()).dtype;
    if (dtype.bits != x->dtype.bits || dtype.code == TypeCode::String)
        return failure(fmt::format("{} and {} have different widths", toString(x->dtype), toString(dtype)),
                       "a bit cast keeps the number of bits");
    return tensorType(dtype, x->shape, x->layout);
}

Result<Type> binary(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* a, tensorArg(context, 0));
    LATHE_TRY(const TensorType* b, tensorArg(context, 1));
    if (a->dtype != b->dtype)
        return failure(fmt::format("operands are {} and {}, they must have one data type", toString(a->dtype),
                                   toString(b->dtype)));
    LATHE_CHECKED(checkType(op, a->dtype));
    return broadcastPair(context, *a, *b, a->dtype);
}

Result<Type> compare(Op op, RuleContext& context) {
    LATHE_TRY(Type type, binary(op, context));
    const TensorType& tensor = *asTensor(type);
    return tensorType(types::Bool, tensor.shape, tensor.layout);
}

Result<Type> power(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* a, tensorArg(context, 0));
    LATHE_TRY(const TensorType* b, tensorArg(context, 1));
    LATHE_CHECKED(checkType(op, a->dtype));
    LATHE_CHECKED(checkType(op, b->dtype));
    return broadcastPair(context, *a, *b, a->dtype);
}

Result<Type> logical(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* a, tensorArg(context, 0));
    LATHE_TRY(const TensorType* b, tensorArg(context, 1));
    if (!a->dtype.isBool() || !b->dtype.isBool())
        return failure(fmt::format("{} of {} and {}", info(op).name, toString(a->dtype), toString(b->dtype)));
    return broadcastPair(context, *a, *b, types::Bool);
}

Result<Type> where(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* condition, tensorArg(context, 0));
    LATHE_TRY(const TensorType* a, tensorArg(context, 1));
    LATHE_TRY(const TensorType* b, tensorArg(context, 2));
    if (!condition->dtype.isBool())
        return failure(fmt::format("the condition is {}, not bool", toString(condition->dtype)));
    if (a->dtype != b->dtype)
        return failure(fmt::format("operands are {} and {}, they must have one data type", toString(a->dtype),
                                   toString(b->dtype)));
    LATHE_TRY(Type values, broadcastPair(context, *a, *b, a->dtype));
    return broadcastPair(context, *asTensor(values), *condition, a->dtype);
}

} // namespace lathe::relay::rules
