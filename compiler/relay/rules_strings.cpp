// SPDX-License-Identifier: Apache-2.0
//
// Type rules of what is computed of text: which operands are strings, and of how many pieces nobody knows before.
#include "relay/rule_families.h"

#include "base/limits.h"

#include <fmt/format.h>

namespace lathe::relay::rules {
namespace {

Result<const TensorType*> stringsArg(Op op, RuleContext& context, int arg, int rank = -1) {
    LATHE_TRY(const TensorType* x, tensorArg(context, arg, rank));
    if (x->dtype != types::String)
        return failure(fmt::format("operand {} of {} is {}, not string", arg + 1, info(op).name, toString(x->dtype)));
    return x;
}

} // namespace

Result<Type> stringConcat(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* a, stringsArg(op, context, 0));
    LATHE_TRY(const TensorType* b, stringsArg(op, context, 1));
    LATHE_TRY(std::vector<Expr> shape, broadcastShapes(a->shape, b->shape, &context));
    return tensorType(types::String, std::move(shape));
}

Result<Type> stringCase(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, stringsArg(op, context, 0));
    return tensorType(types::String, x->shape);
}

Result<Type> stringSplit(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, stringsArg(op, context, 0));
    LATHE_CHECKED(stringsArg(op, context, 1, 0));
    const int64_t most = attrs<StringSplitAttrs>(context.attrs()).most;
    if (most < -1)
        return failure(fmt::format("at most {} splits", most));
    std::vector<Expr> shape = x->shape;
    const bool isBounded = most >= 0 && most < limits::tensorElements;
    shape.push_back(context.freshSymbol("pieces", 0, isBounded ? most + 1 : limits::tensorElements));
    return tupleType({tensorType(types::String, std::move(shape)), tensorType(types::Int64, x->shape)});
}

Result<Type> regexFullMatch(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, stringsArg(op, context, 0));
    LATHE_CHECKED(stringsArg(op, context, 1, 0));
    return tensorType(types::Bool, x->shape);
}

Result<Type> formatNumber(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    if (!x->dtype.isFloat() && !x->dtype.isInt() && !x->dtype.isBool())
        return failure(fmt::format("text of {}", toString(x->dtype)));
    return tensorType(types::String, x->shape);
}

Result<Type> parseNumber(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, stringsArg(op, context, 0));
    const DataType dtype = attrs<CastAttrs>(context.attrs()).dtype;
    if (dtype != types::Float64 && dtype != types::Float32 && dtype != types::Int64 && dtype != types::UInt64)
        return failure(fmt::format("text is read as numbers of 64 bits or float32, not as {}", toString(dtype)));
    return tensorType(dtype, x->shape);
}

Result<Type> indexOf(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    LATHE_TRY(const TensorType* keys, tensorArg(context, 1, 1));
    if (x->dtype != keys->dtype)
        return failure(
            fmt::format("the keys are {} and what is looked for {}", toString(keys->dtype), toString(x->dtype)));
    const DataType dtype = x->dtype;
    if (dtype != types::String && !dtype.isInt() && dtype != types::Float32 && dtype != types::Float64)
        return failure(fmt::format("keys of {}", toString(dtype)));
    return tensorType(types::Int64, x->shape);
}

} // namespace lathe::relay::rules
