// SPDX-License-Identifier: Apache-2.0
//
// Making of bindings and constants for passes.
#include "relay/transform/make.h"

#include "arith/analysis.h"
#include "base/limits.h"
#include "relay/element.h"
#include "relay/rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::relay::transform {
namespace {

class StaticContext : public RuleContext {
public:
    StaticContext(std::vector<Type> args, AttrsPtr attrs) : args_(std::move(args)), attrs_(std::move(attrs)) {}
    const std::vector<Type>& args() const override { return args_; }
    const std::vector<Expr>* known(int) const override { return nullptr; }
    AttrsPtr attrs() const override { return attrs_; }
    Expr freshSymbol(const std::string& hint, int64_t lower, int64_t upper) override {
        isStatic = false;
        return arith::symbol(hint, lower, std::max(lower, upper));
    }
    void require(const Expr& condition, const std::string&) override { isStatic &= arith::provablyTrue(condition); }
    bool isStatic = true;

private:
    std::vector<Type> args_;
    AttrsPtr attrs_;
};

CastAttrs castTo(DataType dtype) {
    return attrsWith<CastAttrs>([&](CastAttrs& attrs) { attrs.dtype = dtype; });
}

} // namespace

Type staticType(Op op, const std::vector<Type>& args, const AttrsPtr& attrs) {
    StaticContext context(args, attrs);
    Result<Type> type = inferType(op, context);
    return type && context.isStatic ? *type : nullptr;
}

Maker::Value Maker::call(Op op, const std::vector<Value>& args, AttrsPtr attrs) {
    std::vector<Type> types;
    OpCall call{op, {}, attrs};
    for (const Value& arg : args) {
        types.push_back(arg.type);
        call.args.push_back(arg.var);
    }
    StaticContext context(types, attrs);
    Result<Type> type = inferType(op, context);
    LATHE_ASSERT(type, fmt::format("a pass makes a call of {}: {}", info(op).name, type ? "" : type.error().what));
    Var var{module_.nextVar++};
    made_.push_back(std::make_shared<Binding>(Binding{var, std::move(call), *type, span_, {}}));
    return {var, *type};
}

Maker::Value Maker::constant(ConstantPtr constant) {
    Var var{module_.nextVar++};
    Type type = constant->type;
    made_.push_back(std::make_shared<Binding>(Binding{var, ConstantRef{std::move(constant)}, type, span_, {}}));
    return {var, type};
}

Maker::Value Maker::cast(Value value, DataType dtype) {
    return asTensor(value.type)->dtype == dtype ? value : call(Op::Cast, {value}, castTo(dtype));
}

std::vector<BindingPtr> Maker::take(Var var, const std::string& modelValue) {
    LATHE_ASSERT(!made_.empty(), "something was made");
    made_.back()->var = var;
    made_.back()->modelValue = modelValue;
    return {made_.begin(), made_.end()};
}

ConstantPtr computeConstant(Module& module, Span span, Op op, const std::vector<ConstantPtr>& args,
                            const AttrsPtr& attrs) {
    const OpInfo& row = info(op);
    std::vector<Type> types;
    for (const ConstantPtr& arg : args) {
        if (asTensor(arg->type)->dtype == types::String)
            return nullptr; // its values live in a context
        types.push_back(arg->type);
    }
    Type type = staticType(op, types, attrs);
    const TensorType* tensor = asTensor(type);
    if (!row.pure || row.numerics == Numerics::Random || !tensor || !constantShape(tensor->shape) ||
        tensor->dtype == types::String)
        return nullptr;
    std::vector<std::vector<Expr>> elements;
    for (const ConstantPtr& arg : args)
        if (std::optional<std::vector<Expr>> known = elementsOf(*arg, limits::knownValueElements))
            elements.push_back(std::move(*known));
    if (elements.size() == args.size()) {
        std::vector<const std::vector<Expr>*> known;
        for (const std::vector<Expr>& each : elements)
            known.push_back(&each);
        if (std::optional<std::vector<Expr>> value = inferValue(op, type, types, known, attrs))
            if (ConstantPtr folded = constantFrom(tensor->dtype, tensor->shape, *value))
                return folded;
    }
    auto function = std::make_shared<Function>();
    OpCall call{op, {}, attrs};
    for (const ConstantPtr& arg : args) {
        function->params.push_back({Var{module.nextVar++}, arg->type, {}});
        call.args.push_back(function->params.back().var);
    }
    auto body = std::make_shared<Block>();
    body->result = Var{module.nextVar++};
    body->bindings.push_back(std::make_shared<Binding>(Binding{body->result, std::move(call), type, span, {}}));
    function->body = std::move(body);
    function->resultType = type;
    return makeRecipe(std::move(function), args);
}

ConstantPtr constantAs(Module& module, Span span, ConstantPtr constant, DataType dtype) {
    return asTensor(constant->type)->dtype == dtype
               ? constant
               : computeConstant(module, span, Op::Cast, {constant}, castTo(dtype));
}

const Type& typeOf(const Index& index, Var var) {
    const Index::Entry* entry = index.find(var);
    LATHE_ASSERT(entry && (entry->binding || entry->param), fmt::format("%{} is bound", var.id));
    return entry->binding ? entry->binding->type : entry->param->type;
}

ConstantPtr constantOf(const Index& index, Var var) {
    const Index::Entry* entry = index.find(var);
    const ConstantRef* reference = entry && entry->binding ? entry->binding->as<ConstantRef>() : nullptr;
    return reference ? reference->constant : nullptr;
}

Module rewriteBodies(const Module& module,
                     const std::function<BlockPtr(const Function& function, Module& module)>& fn) {
    Module result = module;
    for (auto& [name, function] : result.functions) {
        if (function->primitive)
            continue;
        BlockPtr body = fn(*function, result);
        if (body == function->body)
            continue;
        auto after = std::make_shared<Function>(*function);
        after->body = std::move(body);
        function = std::move(after);
    }
    return result;
}

Module rewriteModule(const Module& module, const PassFn& fn) {
    return rewriteBodies(module, [&](const Function& function, Module& result) {
        Index index(function);
        Rewriter rewriter;
        return rewriteBlock(function.body, rewriter, [&](const BindingPtr& binding, Rewriter& map) {
            std::vector<BindingPtr> placed = fn(binding, map, index, result);
            // What was made is visible to what follows.
            for (const BindingPtr& each : placed)
                index.entries[each->var.id].binding = each;
            return placed;
        });
    });
}

} // namespace lathe::relay::transform
