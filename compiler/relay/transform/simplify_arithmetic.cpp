// SPDX-License-Identifier: Apache-2.0
//
// The rules, one function a family. Each gives the Var that the result equals, or makes bindings in its place.
#include "relay/transform/simplify_arithmetic.h"

#include "arith/analysis.h"
#include "relay/element.h"
#include "relay/transform/dead_code.h"
#include "relay/transform/make.h"
#include "relay/transform/merge_constants.h"

namespace lathe::relay::transform {
namespace {

using Bindings = std::vector<BindingPtr>;

class Rules {
public:
    Rules(const BindingPtr& binding, const OpCall& call, Rewriter& rewriter, const Index& index, Module& module,
          bool exact)
        : binding_(binding), call_(call), rewriter_(rewriter), index_(index), module_(module), exact_(exact) {}

    Bindings apply() {
        switch (call_.op) {
        case Op::Transpose:
            return transpose();
        case Op::Reshape:
            return reshape();
        case Op::BroadcastTo:
        case Op::Tile:
        case Op::Slice:
        case Op::Pad:
            return sameShape(type(0), binding_->type) && isIdentityMovement() ? replaceBy(call_.args[0]) : keep();
        case Op::Concat:
            return call_.args.size() == 1 ? replaceBy(call_.args[0]) : keep();
        case Op::Cast:
            return cast();
        case Op::Negative:
            return producedBy(0, Op::Negative) ? replaceBy(producedBy(0, Op::Negative)->args[0]) : keep();
        case Op::Relu:
            return producedBy(0, Op::Relu) ? replaceBy(call_.args[0]) : keep();
        case Op::Add:
            return add();
        case Op::Subtract:
            return isConstant(1, 0) && sameShape(type(0), binding_->type) ? replaceBy(call_.args[0]) : keep();
        case Op::Multiply:
            return multiply();
        case Op::Divide:
            return isConstant(1, 1) && sameShape(type(0), binding_->type) ? replaceBy(call_.args[0]) : keep();
        case Op::Power:
            return power();
        default:
            return keep();
        }
    }

private:
    const BindingPtr& binding_;
    const OpCall& call_;
    Rewriter& rewriter_;
    const Index& index_;
    Module& module_;
    bool exact_;

    Bindings keep() const { return {binding_}; }
    Bindings replaceBy(Var var) {
        rewriter_.map[binding_->var.id] = var;
        return {};
    }
    const Type& type(size_t arg) const { return typeOf(index_, call_.args[arg]); }
    Maker::Value value(size_t arg) const { return {call_.args[arg], type(arg)}; }
    DataType dtype() const { return asTensor(binding_->type)->dtype; }
    const OpCall* producedBy(size_t arg, Op op) const {
        const Index::Entry* entry = index_.find(call_.args[arg]);
        const OpCall* producer = entry && entry->binding ? entry->binding->as<OpCall>() : nullptr;
        return producer && producer->op == op ? producer : nullptr;
    }
    bool isConstant(size_t arg, double number) const {
        ConstantPtr constant = constantOf(index_, call_.args[arg]);
        return constant && isSplatOf(*constant, number);
    }
    static bool sameShape(const Type& a, const Type& b) {
        const TensorType *x = asTensor(a), *y = asTensor(b);
        if (!x || !y || x->shape.size() != y->shape.size() || x->dtype != y->dtype)
            return false;
        for (size_t i = 0; i < x->shape.size(); ++i)
            if (!arith::provablyEqual(x->shape[i], y->shape[i]))
                return false;
        return true;
    }

    bool isIdentityMovement() const {
        if (call_.op == Op::Slice) {
            for (int64_t step : attrs<SliceAttrs>(call_.attrs).step)
                if (step != 1)
                    return false;
            for (const Expr& begin : attrs<SliceAttrs>(call_.attrs).begin)
                if (!arith::provablyEqual(begin, Expr(0)))
                    return false;
        }
        if (call_.op == Op::Pad)
            for (const Expr& before : attrs<PadAttrs>(call_.attrs).before)
                if (!arith::provablyEqual(before, Expr(0)))
                    return false;
        return true;
    }

    Bindings transpose() {
        std::vector<int64_t> axes = attrs<TransposeAttrs>(call_.attrs).axes;
        Maker::Value source = value(0);
        bool composed = false;
        if (const OpCall* inner = producedBy(0, Op::Transpose)) {
            const std::vector<int64_t>& first = attrs<TransposeAttrs>(inner->attrs).axes;
            for (int64_t& axis : axes)
                axis = first[static_cast<size_t>(axis)];
            source = {inner->args[0], typeOf(index_, inner->args[0])};
            composed = true;
        }
        bool identity = true, onlyOnes = true;
        int64_t previous = -1;
        for (size_t i = 0; i < axes.size(); ++i) {
            identity &= axes[i] == static_cast<int64_t>(i);
            if (arith::isConst(asTensor(source.type)->shape[static_cast<size_t>(axes[i])], 1))
                continue;
            onlyOnes &= axes[i] > previous;
            previous = axes[i];
        }
        if (identity)
            return replaceBy(source.var);
        Maker make(module_, binding_->span);
        if (onlyOnes)
            make.call(Op::Reshape, {source},
                      attrsWith<ReshapeAttrs>([&](ReshapeAttrs& a) { a.shape = asTensor(binding_->type)->shape; }));
        else if (composed)
            make.call(Op::Transpose, {source}, attrsWith<TransposeAttrs>([&](TransposeAttrs& a) { a.axes = axes; }));
        else
            return keep();
        return make.take(binding_->var, binding_->modelValue);
    }

    Bindings reshape() {
        if (sameShape(type(0), binding_->type))
            return replaceBy(call_.args[0]);
        const OpCall* inner = producedBy(0, Op::Reshape);
        if (!inner || !staticType(Op::Reshape, {typeOf(index_, inner->args[0])}, call_.attrs))
            return keep();
        Maker make(module_, binding_->span);
        make.call(Op::Reshape, {{inner->args[0], typeOf(index_, inner->args[0])}}, call_.attrs);
        return make.take(binding_->var, binding_->modelValue);
    }

    /// Whether every value of `from` survives a cast to `to` and back.
    static bool holds(DataType from, DataType to) {
        if (from.isBool())
            return to.isInt() || to == types::Float32 || to == types::Float64;
        if (from.isInt() && to.isInt())
            return from.isSigned() == to.isSigned() ? to.bits >= from.bits : to.isSigned() && to.bits > from.bits;
        if (from.isInt())
            return (to == types::Float32 && from.bits <= 16) || (to == types::Float64 && from.bits <= 32);
        return (from == types::Float16 || from == types::BFloat16 || from == types::Float32) &&
               (to == types::Float64 || (to == types::Float32 && from.bits == 16));
    }

    Bindings cast() {
        if (asTensor(type(0))->dtype == dtype())
            return replaceBy(call_.args[0]);
        const OpCall* inner = producedBy(0, Op::Cast);
        if (!inner)
            return keep();
        const Type& source = typeOf(index_, inner->args[0]);
        if (asTensor(source)->dtype == dtype() && holds(dtype(), asTensor(type(0))->dtype))
            return replaceBy(inner->args[0]);
        return keep();
    }

    Bindings add() {
        for (size_t zero : {0u, 1u})
            if (isConstant(zero, -0.0) && sameShape(type(1 - zero), binding_->type))
                return replaceBy(call_.args[1 - zero]);
        return mergeConstants();
    }

    Bindings multiply() {
        for (size_t one : {0u, 1u})
            if (isConstant(one, 1) && sameShape(type(1 - one), binding_->type))
                return replaceBy(call_.args[1 - one]);
        return mergeConstants();
    }

    Bindings mergeConstants() {
        return exact_ && dtype().isFloat() ? keep() : withMergedConstants(binding_, call_, index_, module_);
    }

    Bindings power() {
        ConstantPtr exponent = constantOf(index_, call_.args[1]);
        if (!exponent || !sameShape(type(0), binding_->type))
            return keep();
        if (isSplatOf(*exponent, 1))
            return replaceBy(call_.args[0]);
        Maker make(module_, binding_->span);
        if (isSplatOf(*exponent, 2))
            make.call(Op::Multiply, {value(0), value(0)});
        else if (!exact_ && dtype().isFloat() && isSplatOf(*exponent, 0.5))
            // The power of -0 is 0, its root is -0.
            make.call(Op::Sqrt, {make.call(Op::Add, {value(0), make.constant(makeSplat(dtype(), {}, 0))})});
        else if (!exact_ && dtype().isFloat() && isSplatOf(*exponent, -1))
            make.call(Op::Reciprocal, {value(0)});
        else
            return keep();
        return make.take(binding_->var, binding_->modelValue);
    }
};

} // namespace

Module simplifyArithmetic(const Module& module, bool exact) {
    return sweep(module, rewriteModule(module,
                                       [&](const BindingPtr& binding, Rewriter& rewriter, const Index& index,
                                           Module& result) -> Bindings {
                                           const OpCall* call = binding->as<OpCall>();
                                           if (!call || !asTensor(binding->type))
                                               return {binding};
                                           return Rules(binding, *call, rewriter, index, result, exact).apply();
                                       }));
}

} // namespace lathe::relay::transform
