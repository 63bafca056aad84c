// SPDX-License-Identifier: Apache-2.0
//
// Pushes a factor through one addition and into weights.
#include "relay/transform/fold_scale.h"

#include "arith/analysis.h"
#include "relay/transform/dead_code.h"
#include "relay/transform/make.h"

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

const Binding* onlyUse(Var var, const Index& index) {
    const Index::Entry* entry = index.find(var);
    return entry && entry->binding && entry->uses == 1 ? entry->binding.get() : nullptr;
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

struct Scaling {
    const OpCall* product = nullptr;
    Span span;
    std::optional<WithConstant> addition; // between the product and the factor
    Span additionSpan;
};

/// The product behind `value`, perhaps through one addition of a constant.
std::optional<Scaling> findProduct(Var value, const Index& index) {
    Scaling result;
    const Binding* binding = onlyUse(value, index);
    const OpCall* call = binding ? binding->as<OpCall>() : nullptr;
    if (call && call->op == Op::Add) {
        result.addition = withConstant(*call, index);
        result.additionSpan = binding->span;
        if (!result.addition || result.addition->constant->recipe)
            return std::nullopt;
        binding = onlyUse(result.addition->value, index);
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
    if (!call || call->op != Op::Multiply || !asTensor(binding->type)->dtype.isFloat())
        return {binding};
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
    if (before.shape.size() != result.shape.size() || weightType.dtype != result.dtype ||
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
    ConstantPtr scaled = shaped ? computeConstant(module, span, Op::Multiply, {weights, shaped}, AttrsPtr()) : nullptr;
    if (!scaled || !sameType(scaled->type, weights->type))
        return {binding};
    Maker make(module, span);
    Maker::Value folded = make.constant(scaled);
    Maker::Value out =
        make.call(product.op, {{product.args[0], typeOf(index, product.args[0])}, folded}, product.attrs);
    if (scaling->addition) {
        ConstantPtr bias =
            computeConstant(module, span, Op::Multiply, {scaling->addition->constant, factor->constant}, AttrsPtr());
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
