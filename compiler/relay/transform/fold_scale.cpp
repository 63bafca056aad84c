// SPDX-License-Identifier: Apache-2.0
//
// Pushes a factor through one addition and into weights; sums that then stand in a row become one.
#include "relay/transform/fold_scale.h"

#include "arith/analysis.h"
#include "relay/transform/dead_code.h"
#include "relay/transform/make.h"
#include "relay/transform/merge_constants.h"

namespace lathe::relay::transform {
namespace {

/// A call of one of the operands and a constant, in either order.
struct WithConstant {
    Var value;
    ConstantPtr constant;
};
std::optional<WithConstant> withConstant(const OpCall& call, const Index& index) {
    for (size_t place : {1u, 0u})
        if (ConstantPtr constant = constantOf(index, call.args[place]))
            return WithConstant{call.args[1 - place], std::move(constant)};
    return std::nullopt;
}

/// What makes a value that is used once, through casts between a narrow float and its compute type: by such an operator rounds
/// what it has computed, and the next one reads it. narrow: that float, of all casts.
const Binding* onlyUse(Var var, const Index& index, DataType& narrow) {
    for (;;) {
        const Index::Entry* entry = index.find(var);
        const Binding* binding = entry && entry->binding && entry->uses == 1 ? entry->binding.get() : nullptr;
        const OpCall* cast = binding ? binding->as<OpCall>() : nullptr;
        if (!cast || cast->op != Op::Cast)
            return binding;
        const DataType from = asTensor(typeOf(index, cast->args[0]))->dtype, to = asTensor(binding->type)->dtype;
        const bool widens = from != to && computeType(from) == to, narrows = from != to && computeType(to) == from;
        const DataType own = widens ? from : to;
        if ((!widens && !narrows) || (narrow != types::Void && narrow != own))
            return binding;
        narrow = own;
        var = cast->args[0];
    }
}

/// Which axis of the product's result are the output channels.
int64_t channelAxis(const OpCall& call, int64_t rank) {
    return call.op == Op::Conv ? 1 : rank - 1;
}

/// Whether a constant varies along `axis` of a result of `rank` only; then its number of elements is 1 or the channels'.
bool isPerChannel(const Constant& constant, int64_t axis, int64_t rank) {
    const std::vector<Expr>& shape = asTensor(constant.type)->shape;
    auto own = static_cast<int64_t>(shape.size());
    for (int64_t i = 0; i < own; ++i)
        if (rank - own + i != axis && !arith::isConst(shape[static_cast<size_t>(i)], 1))
            return false;
    return own <= rank;
}

/// The factor in the shape that broadcasts over the weights' output channels.
AttrsPtr weightShape(const OpCall& call, const TensorType& weights, const Expr& count) {
    std::vector<Expr> shape(weights.shape.size(), Expr(1));
    size_t axis = call.op == Op::Conv                         ? 0
                  : attrs<MatMulAttrs>(call.attrs).transposeB ? shape.size() - 2
                                                              : shape.size() - 1;
    shape[axis] = count;
    return std::make_shared<ReshapeAttrs>(attrsWith<ReshapeAttrs>([&](ReshapeAttrs& a) { a.shape = shape; }));
}

/// The product's attributes, its result's type named where the weights have another.
AttrsPtr givingType(const OpCall& product, DataType weights, DataType result) {
    const auto named = [&]<class T>(T attrs) -> AttrsPtr {
        attrs.outDtype = result;
        return std::make_shared<T>(std::move(attrs));
    };
    if (weights == result)
        return product.attrs;
    return product.op == Op::Conv ? named(attrs<ConvAttrs>(product.attrs)) : named(attrs<MatMulAttrs>(product.attrs));
}

struct Scaling {
    const OpCall* product = nullptr;
    DataType narrow; // that the product's and the sum's values are cast to on their way; Void: they are not
    Span span;
    std::optional<WithConstant> addition; // between the product and the factor
    Span additionSpan;
};

/// The product behind `value`, perhaps through one addition of a constant.
std::optional<Scaling> findProduct(Var value, const Index& index) {
    Scaling result;
    const Binding* binding = onlyUse(value, index, result.narrow);
    const OpCall* call = binding ? binding->as<OpCall>() : nullptr;
    if (call && call->op == Op::Add) {
        result.addition = withConstant(*call, index);
        result.additionSpan = binding->span;
        if (!result.addition || result.addition->constant->recipe)
            return std::nullopt;
        binding = onlyUse(result.addition->value, index, result.narrow);
        call = binding ? binding->as<OpCall>() : nullptr;
    }
    if (!call || (call->op != Op::Conv && call->op != Op::MatMul) || !constantOf(index, call->args[1]))
        return std::nullopt;
    result.product = call;
    result.span = binding->span;
    return result;
}

std::vector<BindingPtr> foldInto(const BindingPtr& binding, const Index& index, Module& module) {
    const OpCall* call = binding->as<OpCall>();
    if (!call || (call->op != Op::Multiply && call->op != Op::Add) || !asTensor(binding->type)->dtype.isFloat())
        return {binding};
    if (call->op == Op::Add)
        return withMergedConstants(binding, *call, index, module);
    std::optional<WithConstant> factor = withConstant(*call, index);
    std::optional<Scaling> scaling = factor ? findProduct(factor->value, index) : std::nullopt;
    if (!scaling)
        return {binding};
    const OpCall& product = *scaling->product;
    ConstantPtr weights = constantOf(index, product.args[1]);
    const TensorType& weightType = *asTensor(weights->type);
    Var productValue = scaling->addition ? scaling->addition->value : factor->value;
    const TensorType& result = *asTensor(binding->type);
    const TensorType& before = *asTensor(typeOf(index, productValue));
    auto rank = static_cast<int64_t>(before.shape.size());
    int64_t axis = channelAxis(product, rank);
    const bool isOne = weightType.dtype == result.dtype && scaling->narrow == types::Void;
    const bool isNarrow = weightType.dtype == scaling->narrow && computeType(weightType.dtype) == result.dtype;
    if (before.shape.size() != result.shape.size() || (!isOne && !isNarrow) ||
        !isPerChannel(*factor->constant, axis, rank) ||
        (scaling->addition && !isPerChannel(*scaling->addition->constant, axis, rank)))
        return {binding};
    // A factor or bias that broadcasts the product itself is no factor of its channels.
    for (int64_t i = 0; i < rank; ++i)
        if (!arith::provablyEqual(before.shape[static_cast<size_t>(i)], result.shape[static_cast<size_t>(i)]))
            return {binding};
    Span span = module.spans->join(binding->span, scaling->span);
    ConstantPtr shaped = computeConstant(module, span, Op::Reshape, {factor->constant},
                                         weightShape(product, weightType, Expr(factor->constant->elements())));
    const ConstantPtr wide = constantAs(module, span, weights, result.dtype);
    ConstantPtr scaled =
        shaped && wide ? computeConstant(module, span, Op::Multiply, {wide, shaped}, AttrsPtr()) : nullptr;
    scaled = scaled ? constantAs(module, span, scaled, weightType.dtype) : nullptr;
    if (!scaled || !sameType(scaled->type, weights->type))
        return {binding};
    Maker make(module, span);
    Maker::Value folded = make.constant(scaled);
    Maker::Value out = make.call(product.op, {{product.args[0], typeOf(index, product.args[0])}, folded},
                                 givingType(product, weightType.dtype, result.dtype));
    if (scaling->addition) {
        const ConstantPtr added = constantAs(module, span, scaling->addition->constant, result.dtype);
        ConstantPtr bias =
            added ? computeConstant(module, span, Op::Multiply, {added, factor->constant}, AttrsPtr()) : nullptr;
        if (!bias)
            return {binding};
        Maker::Value shift = make.constant(bias);
        make.call(Op::Add, {out, shift});
    }
    return make.take(binding->var, binding->modelValue);
}

} // namespace

Module foldScale(const Module& module) {
    return sweep(module, rewriteModule(module, [](const BindingPtr& binding, Rewriter&, const Index& index,
                                                  Module& result) { return foldInto(binding, index, result); }));
}

} // namespace lathe::relay::transform
