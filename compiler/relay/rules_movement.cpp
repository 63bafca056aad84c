// SPDX-License-Identifier: Apache-2.0
//
// Type rules of operators that move or create elements without looking at them.
#include "relay/rule_families.h"
#include "relay/type_map.h"

#include "arith/analysis.h"

#include <fmt/format.h>

namespace lathe::relay::rules {

Result<Type> shapeOf(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    return tensorType(types::Int64, {Expr(static_cast<int64_t>(x->shape.size()))});
}

Result<Type> reshape(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const std::vector<Expr>& shape = attrs<ReshapeAttrs>(context.attrs()).shape;
    Expr before = product(x->shape), after = product(shape);
    if (!arith::provablyEqual(before, after)) {
        Expr condition = arith::eq(before, after);
        if (arith::provablyFalse(condition))
            return failure(fmt::format("{} cannot be reshaped to {}: {} and {} elements", text(x->shape), text(shape),
                                       arith::sizeText(before), arith::sizeText(after)));
        for (const Expr& dim : shape)
            if (!arith::provablyTrue(arith::ge(dim, Expr(0))))
                condition = arith::logicalAnd(condition, arith::ge(dim, Expr(0)));
        const std::string count = arith::isConst(after) ? fmt::format(" ({})", arith::toString(after)) : "";
        context.require(condition, fmt::format("{} can be reshaped to {}, which takes as many elements{}",
                                               text(x->shape), text(shape), count));
    }
    return tensorType(x->dtype, shape);
}

Result<Type> transpose(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const std::vector<int64_t>& axes = attrs<TransposeAttrs>(context.attrs()).axes;
    LATHE_CHECKED(checkCount(axes.size(), x->shape.size(), "the permutation"));
    std::vector<Expr> shape;
    std::vector<bool> seen(axes.size());
    for (int64_t axis : axes) {
        LATHE_CHECKED(checkAxis(axis, static_cast<int64_t>(axes.size())));
        if (seen[static_cast<size_t>(axis)])
            return failure(fmt::format("axis {} occurs twice in the permutation", axis));
        seen[static_cast<size_t>(axis)] = true;
        shape.push_back(x->shape[static_cast<size_t>(axis)]);
    }
    return tensorType(x->dtype, std::move(shape));
}

Result<Type> broadcastTo(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const std::vector<Expr>& shape = attrs<BroadcastAttrs>(context.attrs()).shape;
    LATHE_CHECKED(broadcastsTo(x->shape, shape, context));
    return tensorType(x->dtype, shape);
}

Result<Type> concat(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* first, tensorArg(context, 0));
    auto axis = static_cast<size_t>(attrs<AxisAttrs>(context.attrs()).axis);
    std::vector<Expr> shape = first->shape;
    LATHE_CHECKED(checkAxis(static_cast<int64_t>(axis), static_cast<int64_t>(shape.size())));
    for (size_t arg = 1; arg < context.args().size(); ++arg) {
        LATHE_TRY(const TensorType* other, tensorArg(context, static_cast<int>(arg)));
        if (other->dtype != first->dtype)
            return failure(fmt::format("operands are {} and {}, they must have one data type", toString(first->dtype),
                                       toString(other->dtype)));
        if (other->shape.size() != shape.size())
            return failure(
                fmt::format("operands {} and {} have different ranks", text(first->shape), text(other->shape)));
        for (size_t i = 0; i < shape.size(); ++i) {
            if (i == axis) {
                shape[i] = shape[i] + other->shape[i];
                continue;
            }
            LATHE_TRY(Expr dim,
                      equalDim(shape[i], other->shape[i], context,
                               fmt::format("dims {} of {} and {}", i, text(first->shape), text(other->shape))));
            shape[i] = dim;
        }
    }
    return tensorType(first->dtype, std::move(shape));
}

Result<Type> slice(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const SliceAttrs& at = attrs<SliceAttrs>(context.attrs());
    LATHE_CHECKED(checkCount(at.begin.size(), x->shape.size(), "begin"));
    LATHE_CHECKED(checkCount(at.size.size(), x->shape.size(), "size"));
    LATHE_CHECKED(checkCount(at.step.size(), x->shape.size(), "step"));
    for (size_t i = 0; i < x->shape.size(); ++i) {
        Expr last = at.begin[i] + Expr(at.step[i]) * (at.size[i] - 1);
        Expr zero(0);
        if (arith::provablyFalse(arith::ge(at.size[i], zero)))
            return failure(fmt::format("the size of a slice of dim {} is {}", i, arith::toString(at.size[i])));
        if (!arith::provablyTrue(arith::gt(at.size[i], zero)))
            continue;
        for (const Expr& index : {at.begin[i], last})
            if (arith::provablyFalse(arith::ge(index, zero)) || arith::provablyFalse(arith::lt(index, x->shape[i])))
                return failure(fmt::format("index {} of a slice is outside dim {} of {}", arith::toString(index), i,
                                           text(x->shape)));
    }
    return tensorType(x->dtype, at.size);
}

Result<Type> pad(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const PadAttrs& at = attrs<PadAttrs>(context.attrs());
    LATHE_CHECKED(checkWord("mode", at.mode, {"constant", "reflect", "symmetric", "edge", "wrap"}));
    LATHE_CHECKED(checkCount(at.before.size(), x->shape.size(), "before"));
    LATHE_CHECKED(checkCount(at.after.size(), x->shape.size(), "after"));
    if (!at.interior.empty())
        LATHE_CHECKED(checkCount(at.interior.size(), x->shape.size(), "interior"));
    if (context.args().size() > 1 && context.args()[1]) {
        LATHE_TRY(const TensorType* value, tensorArg(context, 1));
        if (value->dtype != x->dtype)
            return failure(
                fmt::format("the padding is {} and the tensor {}", toString(value->dtype), toString(x->dtype)));
    }
    std::vector<Expr> shape;
    for (size_t i = 0; i < x->shape.size(); ++i) {
        Expr dim = x->shape[i];
        if (!at.interior.empty() && at.interior[i] > 0)
            dim = dim + arith::max(dim - 1, Expr(0)) * Expr(at.interior[i]);
        shape.push_back(at.before[i] + dim + at.after[i]);
        if (at.mode == "constant")
            continue;
        // Negative padding crops before the rest repeats what is left.
        const auto cut = [](const Expr& pads) { return arith::min(pads, Expr(0)); };
        const Expr left = arith::simplify(dim + cut(at.before[i]) + cut(at.after[i]));
        const Expr repeated = arith::simplify(arith::max(at.before[i], Expr(0)) + arith::max(at.after[i], Expr(0)));
        if (arith::isConst(repeated, 0) || arith::bounds(left).lower > 0)
            continue;
        const bool always = arith::bounds(repeated).lower > 0;
        if (always && arith::bounds(left).upper <= 0)
            return failure(fmt::format("dim {} is empty: there is nothing that padding could repeat", i));
        const Expr some = arith::gt(left, Expr(0));
        context.require(always ? some : arith::logicalOr(some, arith::eq(repeated, Expr(0))),
                        fmt::format("dim {} is not empty, as its padding repeats it", arith::sizeText(left)));
    }
    return tensorType(x->dtype, std::move(shape));
}

Result<Type> tile(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const std::vector<Expr>& repeats = attrs<TileAttrs>(context.attrs()).repeats;
    LATHE_CHECKED(checkCount(repeats.size(), x->shape.size(), "repeats"));
    std::vector<Expr> shape;
    for (size_t i = 0; i < repeats.size(); ++i)
        shape.push_back(x->shape[i] * repeats[i]);
    return tensorType(x->dtype, std::move(shape));
}

Result<Type> trilu(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    if (x->shape.size() < 2)
        return failure(fmt::format("{} is no matrix", text(x->shape)));
    return context.args()[0];
}

Result<Type> reverseSequence(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    LATHE_TRY(const TensorType* lengths, tensorArg(context, 1, 1));
    const ReverseAttrs& at = attrs<ReverseAttrs>(context.attrs());
    auto rank = static_cast<int64_t>(x->shape.size());
    LATHE_CHECKED(checkAxis(at.timeAxis, rank));
    LATHE_CHECKED(checkAxis(at.batchAxis, rank));
    LATHE_CHECKED(equalDim(x->shape[static_cast<size_t>(at.batchAxis)], lengths->shape[0], context,
                           "the batch and the number of lengths"));
    return tensorType(x->dtype, x->shape);
}

Result<Type> reverse(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    for (int64_t axis : attrs<AxesAttrs>(context.attrs()).axes)
        LATHE_CHECKED(checkAxis(axis, static_cast<int64_t>(x->shape.size())));
    return tensorType(x->dtype, x->shape);
}

Result<Type> relayout(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const LayoutPtr& layout = attrs<RelayoutAttrs>(context.attrs()).layout;
    if (layout)
        LATHE_CHECKED(checkLayout(*layout, x->shape.size()));
    return tensorType(x->dtype, x->shape, layout);
}

Result<Type> depthToSpace(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0, 4));
    int64_t block = attrs<BlockAttrs>(context.attrs()).block;
    LATHE_CHECKED(checkWord("mode", attrs<BlockAttrs>(context.attrs()).mode, {"DCR", "CRD"}));
    if (block < 1 || block > 1 << 20)
        return failure(fmt::format("the block size is {}", block));
    const std::vector<Expr>& in = x->shape;
    if (op == Op::DepthToSpace) {
        if (arith::provablyFalse(arith::eq(arith::floorMod(in[1], Expr(block * block)), Expr(0))))
            return failure(fmt::format("{} channels are no multiple of {}", arith::toString(in[1]), block * block));
        return tensorType(x->dtype, {in[0], arith::floorDiv(in[1], Expr(block * block)), in[2] * block, in[3] * block});
    }
    for (size_t i : {2u, 3u})
        if (arith::provablyFalse(arith::eq(arith::floorMod(in[i], Expr(block)), Expr(0))))
            return failure(fmt::format("{} of {} is no multiple of {}", arith::toString(in[i]), text(in), block));
    return tensorType(x->dtype, {in[0], in[1] * (block * block), arith::floorDiv(in[2], Expr(block)),
                                 arith::floorDiv(in[3], Expr(block))});
}

Result<Type> iota(Op, RuleContext& context) {
    const IotaAttrs& at = attrs<IotaAttrs>(context.attrs());
    LATHE_CHECKED(checkAxis(at.axis, static_cast<int64_t>(at.shape.size())));
    if (!at.dtype.isFloat() && !at.dtype.isInt())
        return failure(fmt::format("iota of {}", toString(at.dtype)));
    return tensorType(at.dtype, at.shape);
}

Result<Type> full(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* value, tensorArg(context, 0));
    if (!arith::provablyEqual(product(value->shape), Expr(1)))
        return failure(fmt::format("the value is {}, not a scalar", text(value->shape)));
    return tensorType(value->dtype, attrs<BroadcastAttrs>(context.attrs()).shape);
}

Result<Type> randomUniform(Op, RuleContext& context) {
    const RandomAttrs& at = attrs<RandomAttrs>(context.attrs());
    if (!at.dtype.isFloat())
        return failure(fmt::format("random values of {}", toString(at.dtype)));
    return tensorType(at.dtype, at.shape);
}

} // namespace lathe::relay::rules
