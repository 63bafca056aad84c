// SPDX-License-Identifier: Apache-2.0
//
// Type rules of operators whose result's size depends on values: known values decide it, otherwise it is a new symbol.
#include "relay/rule_families.h"

#include "arith/analysis.h"
#include "base/limits.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace lathe::relay::rules {
namespace {

/// How many known elements are not zero; nothing if one is unknown.
std::optional<int64_t> countNonZero(const std::vector<Expr>* known) {
    if (!known)
        return std::nullopt;
    int64_t count = 0;
    for (const Expr& element : *known) {
        std::optional<int64_t> integer = arith::asInt(element);
        std::optional<double> real = arith::asFloat(element);
        if (!integer && !real)
            return std::nullopt;
        count += integer ? *integer != 0 : *real != 0;
    }
    return count;
}

/// How many elements a range of integers has. Unsigned, as the distance may be more than int64 holds.
uint64_t rangeLength(int64_t first, int64_t limit, int64_t step) {
    const auto bits = [](int64_t value) { return static_cast<uint64_t>(value); };
    const bool rises = step > 0;
    const uint64_t distance = rises ? bits(limit) - bits(first) : bits(first) - bits(limit);
    const uint64_t stride = rises ? bits(step) : 0 - bits(step);
    return (rises ? first < limit : first > limit) ? (distance - 1) / stride + 1 : 0;
}

} // namespace

Result<Type> dynamicSlice(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const std::vector<int64_t>& axes = attrs<AxesAttrs>(context.attrs()).axes;
    for (int arg = 1; arg < 4; ++arg) {
        LATHE_TRY(const TensorType* bound, tensorArg(context, arg, 1));
        if (bound->dtype != types::Int64)
            return failure(fmt::format("operand {} is {}, not int64", arg + 1, toString(bound->dtype)));
        LATHE_CHECKED(equalDim(bound->shape[0], Expr(static_cast<int64_t>(axes.size())), context,
                               "the number of bounds and of axes"));
    }
    std::vector<Expr> shape = x->shape;
    for (int64_t axis : axes) {
        LATHE_CHECKED(checkAxis(axis, static_cast<int64_t>(shape.size())));
        Expr& dim = shape[static_cast<size_t>(axis)];
        dim = context.freshSymbol("slice", 0, upperBound(dim));
    }
    return tensorType(x->dtype, std::move(shape));
}

Result<Type> range(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* start, tensorArg(context, 0));
    for (int arg = 1; arg < 3; ++arg) {
        LATHE_TRY(const TensorType* other, tensorArg(context, arg));
        if (other->dtype != start->dtype)
            return failure(fmt::format("operands are {} and {}, they must have one data type", toString(start->dtype),
                                       toString(other->dtype)));
    }
    if (!start->dtype.isFloat() && !start->dtype.isInt())
        return failure(fmt::format("range of {}", toString(start->dtype)));
    const std::vector<Expr>*first = context.known(0), *limit = context.known(1), *delta = context.known(2);
    constexpr int64_t most = limits::tensorElements;
    const auto beyond = [&](auto from, auto to, auto by) {
        return failure(fmt::format("a range from {} to {} by {} has more than {} elements, or no number of them", from,
                                   to, by, most));
    };
    if (first && limit && delta && first->size() == 1 && limit->size() == 1 && delta->size() == 1) {
        if (std::optional<int64_t> step = arith::asInt((*delta)[0])) {
            if (*step == 0)
                return failure("the step of a range is 0");
            const std::optional<int64_t> a = arith::asInt((*first)[0]), b = arith::asInt((*limit)[0]);
            if (a && b) {
                const uint64_t length = rangeLength(*a, *b, *step);
                if (length > static_cast<uint64_t>(most))
                    return beyond(*a, *b, *step);
                return tensorType(start->dtype, {Expr(static_cast<int64_t>(length))});
            }
            if (*step != std::numeric_limits<int64_t>::min()) { // which has no opposite
                Expr span = *step > 0 ? (*limit)[0] - (*first)[0] : (*first)[0] - (*limit)[0];
                Expr length = arith::ceilDiv(span, Expr(*step > 0 ? *step : -*step));
                return tensorType(start->dtype, {arith::max(length, Expr(0))});
            }
        }
        std::optional<double> a = arith::asFloat((*first)[0]), b = arith::asFloat((*limit)[0]),
                              c = arith::asFloat((*delta)[0]);
        if (a && b && c) {
            if (*c == 0)
                return failure("the step of a range is 0");
            const double length = std::ceil((*b - *a) / *c);
            if (!(length <= static_cast<double>(most))) // NaN is not
                return beyond(*a, *b, *c);
            return tensorType(start->dtype, {Expr(static_cast<int64_t>(std::max(length, 0.0)))});
        }
    }
    return tensorType(start->dtype, {context.freshSymbol("range", 0, limits::tensorElements)});
}

Result<Type> unique(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    int64_t axis = attrs<UniqueAttrs>(context.attrs()).axis;
    if (x->dtype == types::String && attrs<UniqueAttrs>(context.attrs()).sorted)
        return failure(ErrorKind::Unsupported, "strings are not sorted",
                       "ask for them in the order of their occurrence");
    std::vector<Expr> shape = x->shape;
    Expr all = axis < 0 ? product(shape) : Expr();
    if (axis >= 0) {
        LATHE_CHECKED(checkAxis(axis, static_cast<int64_t>(shape.size())));
        all = shape[static_cast<size_t>(axis)];
    }
    bool some = arith::provablyTrue(arith::gt(all, Expr(0)));
    Expr count = context.freshSymbol("unique", some ? 1 : 0, upperBound(all));
    if (axis < 0)
        shape = {count};
    else
        shape[static_cast<size_t>(axis)] = count;
    return tupleType({tensorType(x->dtype, shape), tensorType(types::Int64, {count}), tensorType(types::Int64, {all}),
                      tensorType(types::Int64, {count})});
}

Result<Type> nonZero(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    std::optional<int64_t> known = countNonZero(context.known(0));
    Expr count = known ? Expr(*known) : context.freshSymbol("nonzero", 0, upperBound(product(x->shape)));
    return tensorType(types::Int64, {Expr(static_cast<int64_t>(x->shape.size())), count});
}

Result<Type> compress(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    LATHE_TRY(const TensorType* condition, tensorArg(context, 1, 1));
    if (!condition->dtype.isBool())
        return failure(fmt::format("the condition is {}, not bool", toString(condition->dtype)));
    int64_t axis = attrs<AxisAttrs>(context.attrs()).axis;
    if (axis >= 0)
        LATHE_CHECKED(checkAxis(axis, static_cast<int64_t>(x->shape.size())));
    Expr all = axis < 0 ? product(x->shape) : x->shape[static_cast<size_t>(axis)];
    if (arith::provablyTrue(arith::gt(condition->shape[0], all)))
        return failure(
            fmt::format("a condition of {} elements for {}", arith::toString(condition->shape[0]), text(x->shape)));
    // What a condition has beyond the elements does not count, and how many these are may not be known.
    std::optional<int64_t> known;
    if (arith::provablyTrue(arith::le(condition->shape[0], all)))
        known = countNonZero(context.known(1));
    Expr count = known ? Expr(*known) : context.freshSymbol("compress", 0, upperBound(all));
    std::vector<Expr> shape = x->shape;
    if (axis < 0)
        shape = {count};
    else
        shape[static_cast<size_t>(axis)] = count;
    return tensorType(x->dtype, std::move(shape));
}

Result<Type> decodeImage(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* file, tensorArg(context, 0, 1));
    const std::string& pixels = attrs<ImageAttrs>(context.attrs()).pixels;
    LATHE_CHECKED(checkWord("pixels", pixels, {"RGB", "BGR", "Grayscale"}));
    if (file->dtype != types::UInt8)
        return failure(fmt::format("an image file of {}", toString(file->dtype)), "its bytes are uint8");
    Expr height = context.freshSymbol("height", 0, mostImageSide);
    Expr width = context.freshSymbol("width", 0, mostImageSide);
    return tensorType(types::UInt8, {height, width, Expr(pixels == "Grayscale" ? 1 : 3)});
}

Result<Type> nonMaxSuppression(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* boxes, tensorArg(context, 0, 3));
    LATHE_TRY(const TensorType* scores, tensorArg(context, 1, 3));
    LATHE_CHECKED(equalDim(boxes->shape[0], scores->shape[0], context, "the batches of boxes and scores"));
    LATHE_CHECKED(equalDim(boxes->shape[1], scores->shape[2], context, "the numbers of boxes and of scores"));
    LATHE_CHECKED(equalDim(boxes->shape[2], Expr(4), context, "the last dim of the boxes and 4"));
    Expr count = context.freshSymbol("selected", 0, upperBound(product(scores->shape)));
    return tensorType(types::Int64, {count, Expr(3)});
}

Result<Type> bindSymbols(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    if (!x->dtype.isInt() && !x->dtype.isBool())
        return failure(fmt::format("symbols from {}", toString(x->dtype)));
    auto count = static_cast<int64_t>(attrs<BindSymbolsAttrs>(context.attrs()).symbols.size());
    if (!arith::provablyEqual(product(x->shape), Expr(count)))
        return failure(fmt::format("{} symbols for {}", count, text(x->shape)));
    return context.args()[0];
}

Result<Type> assume(Op op, RuleContext& context) {
    if (!attrs<AssumeAttrs>(context.attrs()).condition)
        return failure("the condition is missing");
    return sameAsOperand(op, context);
}

} // namespace lathe::relay::rules
