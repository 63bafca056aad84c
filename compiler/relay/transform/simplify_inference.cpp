// SPDX-License-Identifier: Apache-2.0
//
// Identities and batch normalisation.
#include "relay/transform/simplify_inference.h"

#include "relay/transform/make.h"

namespace lathe::relay::transform {
namespace {

/// A vector over `channels` as [channels, 1, …], which broadcasts along the axis of a tensor of `rank`.
AttrsPtr alongAxis(const Expr& channels, int64_t axis, int64_t rank) {
    std::vector<Expr> shape{channels};
    shape.resize(static_cast<size_t>(rank - axis), Expr(1));
    return std::make_shared<ReshapeAttrs>(attrsWith<ReshapeAttrs>([&](ReshapeAttrs& a) { a.shape = shape; }));
}

std::vector<BindingPtr> scaleAndShift(const BindingPtr& binding, const OpCall& call, const Index& index,
                                      Module& module) {
    const NormAttrs& at = attrs<NormAttrs>(call.attrs);
    const TensorType& x = *asTensor(typeOf(index, call.args[0]));
    const DataType work = computeType(x.dtype);
    std::vector<ConstantPtr> params;
    for (size_t i = 1; i < call.args.size(); ++i) {
        const ConstantPtr param = constantOf(index, call.args[i]);
        if (!param || !asTensor(param->type)->dtype.isFloat() || !work.isFloat())
            return {binding};
        params.push_back(constantAs(module, binding->span, param, work));
    }
    auto compute = [&](Op op, const std::vector<ConstantPtr>& args, AttrsPtr attrs = nullptr) {
        return computeConstant(module, binding->span, op, args, attrs);
    };
    ConstantPtr scale = params[0], bias = params[1], mean = params[2], variance = params[3];
    ConstantPtr deviation = compute(Op::Sqrt, {compute(Op::Add, {variance, makeSplat(work, {}, at.epsilon)})});
    ConstantPtr s = compute(Op::Divide, {scale, deviation});
    ConstantPtr t = compute(Op::Subtract, {bias, compute(Op::Multiply, {mean, s})});
    AttrsPtr shape = alongAxis(asTensor(scale->type)->shape[0], at.axis, static_cast<int64_t>(x.shape.size()));
    Maker make(module, binding->span);
    Maker::Value factor = make.constant(compute(Op::Reshape, {s}, shape));
    Maker::Value value = make.cast({call.args[0], typeOf(index, call.args[0])}, work);
    Maker::Value scaled = make.call(Op::Multiply, {value, factor});
    Maker::Value shift = make.constant(compute(Op::Reshape, {t}, shape));
    make.cast(make.call(Op::Add, {scaled, shift}), x.dtype);
    return make.take(binding->var, binding->modelValue);
}

} // namespace

Module simplifyInference(const Module& module) {
    return rewriteModule(module,
                         [](const BindingPtr& binding, Rewriter& rewriter, const Index& index,
                            Module& result) -> std::vector<BindingPtr> {
                             const OpCall* call = binding->as<OpCall>();
                             if (!call)
                                 return {binding};
                             if (call->op == Op::Dropout || call->op == Op::Copy) {
                                 rewriter.map[binding->var.id] = call->args[0];
                                 return {};
                             }
                             return call->op == Op::BatchNorm ? scaleAndShift(binding, *call, index, result)
                                                              : std::vector<BindingPtr>{binding};
                         });
}

} // namespace lathe::relay::transform
