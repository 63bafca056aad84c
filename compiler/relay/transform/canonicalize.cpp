// SPDX-License-Identifier: Apache-2.0
//
// Rewriting to canonical forms, one function a form.
#include "relay/transform/canonicalize.h"

#include "arith/analysis.h"
#include "relay/axis_order.h"
#include "relay/element.h"
#include "relay/transform/canonical_calls.h"
#include "relay/transform/dead_code.h"
#include "relay/transform/make.h"
#include "relay/type_map.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace lathe::relay::transform {
namespace {

using Bindings = std::vector<BindingPtr>;

AttrsPtr reshapeTo(std::vector<Expr> shape) {
    return std::make_shared<ReshapeAttrs>(
        attrsWith<ReshapeAttrs>([&](ReshapeAttrs& a) { a.shape = std::move(shape); }));
}

/// start + iota * step, where the length is an expression of sizes known before.
Bindings range(const BindingPtr& binding, const OpCall& call, const Index& index, Module& module) {
    const TensorType& type = *asTensor(binding->type);
    Maker make(module, binding->span);
    IotaAttrs at;
    at.shape = type.shape;
    at.dtype = type.dtype;
    Maker::Value count = make.call(Op::Iota, {}, at);
    auto scalar = [&](size_t arg) {
        Maker::Value value{call.args[arg], typeOf(index, call.args[arg])};
        return asTensor(value.type)->shape.empty() ? value : make.call(Op::Reshape, {value}, reshapeTo({}));
    };
    Maker::Value start = scalar(0), step = scalar(2);
    make.call(Op::Add, {make.call(Op::Multiply, {count, step}), start});
    return make.take(binding->var, binding->modelValue);
}

/// x * s + t with s = scale / sqrt(variance + epsilon), computed when running, in x's compute type.
Bindings batchNorm(const BindingPtr& binding, const OpCall& call, const Index& index, Module& module) {
    const NormAttrs& at = attrs<NormAttrs>(call.attrs);
    const TensorType& x = *asTensor(typeOf(index, call.args[0]));
    const DataType work = computeType(x.dtype);
    Maker make(module, binding->span);
    auto value = [&](size_t arg) {
        return make.cast(Maker::Value{call.args[arg], typeOf(index, call.args[arg])}, work);
    };
    auto perChannel = [&](size_t arg) {
        const Maker::Value vector = value(arg);
        std::vector<Expr> shape{asTensor(vector.type)->shape[0]};
        shape.resize(x.shape.size() - static_cast<size_t>(at.axis), Expr(1));
        return make.call(Op::Reshape, {vector}, reshapeTo(shape));
    };
    Maker::Value scale = perChannel(1), bias = perChannel(2), mean = perChannel(3), variance = perChannel(4);
    Maker::Value epsilon = make.constant(makeSplat(work, {}, at.epsilon));
    Maker::Value deviation = make.call(Op::Sqrt, {make.call(Op::Add, {variance, epsilon})});
    Maker::Value factor = make.call(Op::Divide, {scale, deviation});
    Maker::Value centred = make.call(Op::Subtract, {value(0), mean});
    make.cast(make.call(Op::Add, {make.call(Op::Multiply, {centred, factor}), bias}), x.dtype);
    return make.take(binding->var, binding->modelValue);
}

/// The constant integers that a widening cast to the result's type makes wide, or the operand itself. A product reads them
/// as they are stored and widens on the way; activations are widened once, not for each use.
Maker::Value narrowConstant(Maker::Value value, DataType result, const Index& index) {
    const Index::Entry* entry = index.find(value.var);
    const OpCall* producer = entry && entry->binding ? entry->binding->as<OpCall>() : nullptr;
    if (!producer || producer->op != Op::Cast || !constantOf(index, producer->args[0]))
        return value;
    const Type& source = typeOf(index, producer->args[0]);
    const DataType from = asTensor(source)->dtype, to = asTensor(value.type)->dtype;
    const bool widens = from.isInt() && to.isInt() && to == result && from.bits < to.bits;
    return widens ? Maker::Value{producer->args[0], source} : value;
}

/// The Pad that makes an operand, if it puts zeros around dims behind the first two alone.
const Binding* zeroPadding(Var var, const Index& index) {
    const Index::Entry* entry = index.find(var);
    const OpCall* pad = entry && entry->binding ? entry->binding->as<OpCall>() : nullptr;
    if (!pad || pad->op != Op::Pad)
        return nullptr;
    const PadAttrs& at = attrs<PadAttrs>(pad->attrs);
    const bool isFilled = pad->args.size() > 1 && pad->args[1];
    const ConstantPtr fill = isFilled ? constantOf(index, pad->args[1]) : nullptr;
    if (at.mode != "constant" || (isFilled && (!fill || !isSplatOf(*fill, 0))) ||
        std::ranges::any_of(at.interior, [](int64_t zeros) { return zeros != 0; }))
        return nullptr;
    for (const std::vector<Expr>& side : {at.before, at.after})
        for (size_t dim = 0; dim < side.size(); ++dim)
            if (dim < 2 ? !arith::provablyEqual(side[dim], Expr(0)) : !arith::provablyTrue(arith::ge(side[dim], 0)))
                return nullptr;
    return entry->binding.get();
}

Bindings conv(const BindingPtr& binding, const OpCall& call, const Index& index, Module& module) {
    const DataType result = asTensor(binding->type)->dtype;
    const Maker::Value given{call.args[1], typeOf(index, call.args[1])};
    const Maker::Value weights = narrowConstant(given, result, index);
    const Binding* padding = zeroPadding(call.args[0], index);
    if (weights.var == given.var && !padding)
        return {binding};
    ConvAttrs at = attrs<ConvAttrs>(call.attrs);
    Var input = call.args[0];
    model::Span span = binding->span;
    if (weights.var != given.var)
        at.outDtype = result;
    if (padding) {
        const OpCall& pad = *padding->as<OpCall>();
        const PadAttrs& around = attrs<PadAttrs>(pad.attrs);
        for (size_t i = 0; i < at.before.size(); ++i) {
            at.before[i] = arith::simplify(at.before[i] + around.before[i + 2]);
            at.after[i] = arith::simplify(at.after[i] + around.after[i + 2]);
        }
        input = pad.args[0];
        span = module.spans->join(span, padding->span);
    }
    Maker make(module, span);
    make.call(Op::Conv, {{input, typeOf(index, input)}, weights}, at);
    return make.take(binding->var, binding->modelValue);
}

Bindings matMul(const BindingPtr& binding, const OpCall& call, const Index& index, Module& module) {
    const DataType result = asTensor(binding->type)->dtype;
    MatMulAttrs at = attrs<MatMulAttrs>(call.attrs);
    std::vector<Maker::Value> args;
    Maker make(module, binding->span);
    bool changed = false;
    for (size_t arg = 0; arg < 2; ++arg) {
        bool& flag = arg == 0 ? at.transposeA : at.transposeB;
        Maker::Value value{call.args[arg], typeOf(index, call.args[arg])};
        const Index::Entry* entry = index.find(value.var);
        const OpCall* producer = entry && entry->binding ? entry->binding->as<OpCall>() : nullptr;
        if (producer && producer->op == Op::Transpose && swapsLastTwo(attrs<TransposeAttrs>(producer->attrs).axes)) {
            value = {producer->args[0], typeOf(index, producer->args[0])};
            flag = !flag;
            changed = true;
        }
        if (const Maker::Value narrow = narrowConstant(value, result, index); narrow.var != value.var) {
            value = narrow;
            at.outDtype = result;
            changed = true;
        }
        if (ConstantPtr constant = flag ? constantOf(index, value.var) : nullptr) {
            std::vector<int64_t> axes(asTensor(value.type)->shape.size());
            std::iota(axes.begin(), axes.end(), 0);
            std::swap(axes.end()[-1], axes.end()[-2]);
            if (ConstantPtr stored =
                    computeConstant(module, binding->span, Op::Transpose, {constant},
                                    attrsWith<TransposeAttrs>([&](TransposeAttrs& a) { a.axes = axes; }))) {
                value = make.constant(std::move(stored));
                flag = false;
                changed = true;
            }
        }
        args.push_back(std::move(value));
    }
    if (!changed)
        return {binding};
    make.call(Op::MatMul, args, at);
    return make.take(binding->var, binding->modelValue);
}

} // namespace

Module canonicalize(const Module& module) {
    // Symbols that stood in a type before the binding at hand; a Range whose length uses only those defines none.
    std::unordered_set<const arith::ExprNode*> symbols;
    auto see = [&](const Type& type) {
        visitDims(type, [&](const Expr& dim) {
            if (!arith::isConst(dim))
                for (const arith::Var& symbol : arith::freeVars(dim))
                    symbols.insert(symbol.get());
        });
    };
    for (const auto& [name, function] : module.functions)
        for (const Param& param : function->params)
            see(param.type);
    return sweep(
        module,
        rewriteModule(
            module, [&](const BindingPtr& binding, Rewriter& rewriter, const Index& index, Module& result) -> Bindings {
                const OpCall* call = binding->as<OpCall>();
                if (call && call->op == Op::BindSymbols)
                    for (const Expr& symbol : attrs<BindSymbolsAttrs>(call->attrs).symbols)
                        if (symbol)
                            see(tensorType(types::Bool, {symbol}));
                bool definesLength = false;
                if (call && call->op == Op::Range)
                    for (const arith::Var& symbol : arith::freeVars(asTensor(binding->type)->shape[0]))
                        definesLength |= !symbols.contains(symbol.get());
                if (const Loop* loop = binding->as<Loop>())
                    for (const Param& param : loop->carried)
                        see(param.type);
                see(binding->type);
                if (!call)
                    return {binding};
                switch (call->op) {
                case Op::Dropout:
                case Op::Copy:
                    rewriter.map[binding->var.id] = call->args[0];
                    return {};
                case Op::Range:
                    return definesLength ? Bindings{binding} : range(binding, *call, index, result);
                case Op::MatMul:
                    return matMul(binding, *call, index, result);
                case Op::Conv:
                    return conv(binding, *call, index, result);
                case Op::BatchNorm:
                    return batchNorm(binding, *call, index, result);
                default:
                    return respelled(binding, *call, rewriter, index, result);
                }
            }));
}

} // namespace lathe::relay::transform
