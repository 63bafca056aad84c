// SPDX-License-Identifier: Apache-2.0
//
// Type rules of reductions, scans and normalisations.
#include "relay/rule_families.h"

#include "arith/analysis.h"

#include <fmt/format.h>

namespace lathe::relay::rules {

Result<Type> reduce(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const ReduceAttrs& at = attrs<ReduceAttrs>(context.attrs());
    LATHE_CHECKED(checkWord("kind", at.kind, {"sum", "prod", "max", "min", "mean", "and", "or"}));
    bool logical = at.kind == "and" || at.kind == "or";
    bool order = at.kind == "max" || at.kind == "min";
    if (x->dtype == types::String || (logical && !x->dtype.isBool()) || (!logical && !order && x->dtype.isBool()))
        return failure(fmt::format("reduction '{}' of {}", at.kind, toString(x->dtype)));
    std::vector<bool> reduced(x->shape.size());
    for (int64_t axis : at.axes) {
        LATHE_CHECKED(checkAxis(axis, static_cast<int64_t>(x->shape.size())));
        if (reduced[static_cast<size_t>(axis)])
            return failure(fmt::format("axis {} is reduced twice", axis));
        reduced[static_cast<size_t>(axis)] = true;
    }
    std::vector<Expr> shape;
    for (size_t i = 0; i < x->shape.size(); ++i)
        if (!reduced[i])
            shape.push_back(x->shape[i]);
        else if (at.keepDims)
            shape.emplace_back(1);
    return tensorType(x->dtype, std::move(shape));
}

Result<Type> argReduce(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const ArgReduceAttrs& at = attrs<ArgReduceAttrs>(context.attrs());
    LATHE_CHECKED(checkAxis(at.axis, static_cast<int64_t>(x->shape.size())));
    std::vector<Expr> shape = x->shape;
    if (at.keepDims)
        shape[static_cast<size_t>(at.axis)] = Expr(1);
    else
        shape.erase(shape.begin() + at.axis);
    return tensorType(types::Int64, std::move(shape));
}

Result<Type> alongAxis(Op op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    int64_t axis = op == Op::CumSum ? attrs<CumAttrs>(context.attrs()).axis : attrs<AxisAttrs>(context.attrs()).axis;
    LATHE_CHECKED(checkAxis(axis, static_cast<int64_t>(x->shape.size())));
    if (op == Op::CumSum ? !(x->dtype.isFloat() || x->dtype.isInt()) : !x->dtype.isFloat())
        return failure(fmt::format("{} of {}", info(op).name, toString(x->dtype)));
    return tensorType(x->dtype, x->shape);
}

Result<Type> layerNorm(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    int64_t axis = attrs<NormAttrs>(context.attrs()).axis;
    LATHE_CHECKED(checkAxis(axis, static_cast<int64_t>(x->shape.size())));
    if (!x->dtype.isFloat())
        return failure(fmt::format("layer_norm of {}", toString(x->dtype)));
    for (size_t arg = 1; arg < context.args().size(); ++arg) {
        if (!context.args()[arg])
            continue;
        LATHE_TRY(const TensorType* other, tensorArg(context, static_cast<int>(arg)));
        LATHE_CHECKED(broadcastsTo(other->shape, x->shape, context));
    }
    return tensorType(x->dtype, x->shape);
}

Result<Type> batchNorm(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    int64_t axis = attrs<NormAttrs>(context.attrs()).axis;
    LATHE_CHECKED(checkAxis(axis, static_cast<int64_t>(x->shape.size())));
    for (int arg = 1; arg < 5; ++arg) {
        LATHE_TRY(const TensorType* other, tensorArg(context, arg, 1));
        LATHE_CHECKED(equalDim(x->shape[static_cast<size_t>(axis)], other->shape[0], context,
                               fmt::format("the channels and dim 0 of operand {}", arg + 1)));
    }
    return context.args()[0];
}

Result<Type> topK(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const TopKAttrs& at = attrs<TopKAttrs>(context.attrs());
    LATHE_CHECKED(checkAxis(at.axis, static_cast<int64_t>(x->shape.size())));
    if (!at.k)
        return failure("k is missing");
    std::vector<Expr> shape = x->shape;
    Expr& dim = shape[static_cast<size_t>(at.axis)];
    Expr condition = arith::logicalAnd(arith::ge(at.k, Expr(0)), arith::le(at.k, dim));
    if (arith::provablyFalse(condition))
        return failure(fmt::format("the top {} of {} elements", arith::toString(at.k), arith::toString(dim)));
    if (!arith::provablyTrue(condition))
        context.require(condition,
                        fmt::format("dim {} of {} has {} elements", at.axis, text(x->shape), arith::sizeText(at.k)));
    dim = at.k;
    return tupleType({tensorType(x->dtype, shape), tensorType(types::Int64, shape)});
}

} // namespace lathe::relay::rules
