// SPDX-License-Identifier: Apache-2.0
//
// Type rules of operators that address elements by other tensors. Indices are checked when running.
#include "relay/rule_families.h"

#include "arith/analysis.h"

#include <fmt/format.h>

namespace lathe::relay::rules {
namespace {

Result<const TensorType*> indexArg(RuleContext& context, int arg) {
    LATHE_TRY(const TensorType* indices, tensorArg(context, arg));
    if (!indices->dtype.isInt())
        return failure(fmt::format("indices are {}, not integers", toString(indices->dtype)));
    return indices;
}

Result<void> checkUpdates(const TensorType& x, const TensorType& updates, const ScatterAttrs& at) {
    if (x.dtype != updates.dtype)
        return failure(fmt::format("the tensor is {} and the updates {}", toString(x.dtype), toString(updates.dtype)));
    if (x.dtype == types::String && at.reduction != "none")
        return failure(fmt::format("strings are not reduced by '{}'", at.reduction));
    return checkWord("reduction", at.reduction, {"none", "add", "mul", "max", "min"});
}

/// Only the dims along `axis` are addressed by the indices' values; in the others an index stands at its own place, which the
/// tensor must have.
Result<void> checkPlaces(const TensorType& x, const TensorType& indices, int64_t axis, RuleContext& context) {
    for (size_t i = 0; i < x.shape.size(); ++i) {
        const Expr holds = arith::simplify(arith::le(indices.shape[i], x.shape[i]));
        if (static_cast<int64_t>(i) == axis || arith::provablyTrue(holds))
            continue;
        const std::string what =
            fmt::format("dim {} of indices {} is within tensor {}", i, text(indices.shape), text(x.shape));
        if (arith::provablyFalse(holds))
            return failure("it does not hold that " + what);
        context.require(holds, what);
    }
    return {};
}

} // namespace

Result<Type> gather(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    LATHE_TRY(const TensorType* indices, indexArg(context, 1));
    int64_t axis = attrs<AxisAttrs>(context.attrs()).axis;
    LATHE_CHECKED(checkAxis(axis, static_cast<int64_t>(x->shape.size())));
    std::vector<Expr> shape(x->shape.begin(), x->shape.begin() + axis);
    shape.insert(shape.end(), indices->shape.begin(), indices->shape.end());
    shape.insert(shape.end(), x->shape.begin() + axis + 1, x->shape.end());
    return tensorType(x->dtype, std::move(shape));
}

Result<Type> gatherElements(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    LATHE_TRY(const TensorType* indices, indexArg(context, 1));
    LATHE_CHECKED(checkAxis(attrs<AxisAttrs>(context.attrs()).axis, static_cast<int64_t>(x->shape.size())));
    if (x->shape.size() != indices->shape.size())
        return failure(
            fmt::format("tensor {} and indices {} have different ranks", text(x->shape), text(indices->shape)));
    LATHE_CHECKED(checkPlaces(*x, *indices, attrs<AxisAttrs>(context.attrs()).axis, context));
    return tensorType(x->dtype, indices->shape);
}

Result<Type> gatherNd(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    LATHE_TRY(const TensorType* indices, indexArg(context, 1));
    int64_t batch = attrs<GatherNdAttrs>(context.attrs()).batchDims;
    auto rank = static_cast<int64_t>(x->shape.size()), indexRank = static_cast<int64_t>(indices->shape.size());
    if (batch < 0 || batch >= std::min(rank, indexRank))
        return failure(fmt::format("{} batch dims for {} and indices {}", batch, text(x->shape), text(indices->shape)));
    std::optional<int64_t> depth = arith::asInt(indices->shape.back());
    if (!depth)
        return failure(fmt::format("the last dim of the indices {} is not known", text(indices->shape)),
                       "it decides the rank of the result");
    if (*depth < 1 || batch + *depth > rank)
        return failure(fmt::format("indices {} address {} dims of {}", text(indices->shape), *depth, text(x->shape)));
    std::vector<Expr> shape;
    for (int64_t i = 0; i + 1 < indexRank; ++i) {
        Expr dim = indices->shape[static_cast<size_t>(i)];
        if (i < batch) {
            LATHE_TRY(dim, equalDim(x->shape[static_cast<size_t>(i)], dim, context, fmt::format("batch dims {}", i)));
        }
        shape.push_back(dim);
    }
    shape.insert(shape.end(), x->shape.begin() + batch + *depth, x->shape.end());
    return tensorType(x->dtype, std::move(shape));
}

Result<Type> scatterElements(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    LATHE_TRY(const TensorType* indices, indexArg(context, 1));
    LATHE_TRY(const TensorType* updates, tensorArg(context, 2));
    const ScatterAttrs& at = attrs<ScatterAttrs>(context.attrs());
    LATHE_CHECKED(checkUpdates(*x, *updates, at));
    LATHE_CHECKED(checkAxis(at.axis, static_cast<int64_t>(x->shape.size())));
    if (x->shape.size() != indices->shape.size() || x->shape.size() != updates->shape.size())
        return failure(fmt::format("tensor {}, indices {} and updates {} have different ranks", text(x->shape),
                                   text(indices->shape), text(updates->shape)));
    for (size_t i = 0; i < x->shape.size(); ++i)
        LATHE_CHECKED(
            equalDim(indices->shape[i], updates->shape[i], context, fmt::format("dims {} of indices and updates", i)));
    LATHE_CHECKED(checkPlaces(*x, *indices, at.axis, context));
    return tensorType(x->dtype, x->shape);
}

Result<Type> scatterNd(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    LATHE_TRY(const TensorType* indices, indexArg(context, 1));
    LATHE_TRY(const TensorType* updates, tensorArg(context, 2));
    LATHE_CHECKED(checkUpdates(*x, *updates, attrs<ScatterAttrs>(context.attrs())));
    if (indices->shape.empty())
        return failure("indices have rank 0");
    std::optional<int64_t> depth = arith::asInt(indices->shape.back());
    if (!depth || *depth < 0 || *depth > static_cast<int64_t>(x->shape.size()))
        return failure(fmt::format("indices {} do not address dims of {}", text(indices->shape), text(x->shape)));
    std::vector<Expr> expected(indices->shape.begin(), indices->shape.end() - 1);
    expected.insert(expected.end(), x->shape.begin() + *depth, x->shape.end());
    if (expected.size() != updates->shape.size())
        return failure(fmt::format("updates are {}, they must be {}", text(updates->shape), text(expected)));
    for (size_t i = 0; i < expected.size(); ++i)
        LATHE_CHECKED(equalDim(expected[i], updates->shape[i], context, fmt::format("dims {} of the updates", i)));
    return tensorType(x->dtype, x->shape);
}

Result<Type> oneHot(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* indices, tensorArg(context, 0));
    LATHE_TRY(const TensorType* values, tensorArg(context, 1, 1));
    const OneHotAttrs& at = attrs<OneHotAttrs>(context.attrs());
    LATHE_CHECKED(checkAxis(at.axis, static_cast<int64_t>(indices->shape.size()) + 1));
    LATHE_CHECKED(equalDim(values->shape[0], Expr(2), context, "the number of values and 2"));
    if (!at.depth)
        return failure("depth is missing");
    std::vector<Expr> shape = indices->shape;
    shape.insert(shape.begin() + at.axis, at.depth);
    return tensorType(values->dtype, std::move(shape));
}

} // namespace lathe::relay::rules
