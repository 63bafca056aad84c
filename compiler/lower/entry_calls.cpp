// SPDX-License-Identifier: Apache-2.0
//
// The entry's kernel calls, the symbols that data define, and the checks of both.
#include "arith/print.h"
#include "lower/entry_builder.h"
#include "lower/sizes.h"
#include "relay/attrs.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::lower {

using relay::asTensor;
using tir::makeStmt;

namespace {

void appendAddresses(const EntryValue& value, std::vector<Expr>& addresses) {
    if (!value.tuple)
        addresses.push_back(value.address);
    for (const EntryValue& field : value.fields)
        addresses.push_back(field.address);
}

} // namespace

Result<void> EntryBuilder::lowerCall(const relay::Binding& binding, const relay::FunctionCall& call, EntryScope& scope,
                                     const Destinations& destinations, Owned& owned) {
    auto found = kernels_.plans.find(call.callee);
    if (found == kernels_.plans.end())
        return lowerFunctionCall(binding, call, scope, owned);
    const FunctionPlan& plan = found->second;
    checkInside(*module_.functions.at(call.callee), scope);
    if (plan.kind == FunctionPlan::Kind::View) {
        checkSizes(*asTensor(binding.type), binding.span, scope);
        EntryValue value = values_.at(call.args.at(static_cast<size_t>(plan.viewOf)).id);
        value.type = *asTensor(binding.type);
        value.whole = false;
        values_[binding.var.id] = std::move(value);
        return {};
    }
    std::vector<Expr> inputs;
    for (relay::Var arg : call.args)
        inputs.push_back(values_.at(arg.id).address);
    if (plan.kind == FunctionPlan::Kind::Dynamic)
        return lowerDynamic(binding, call, plan, inputs, scope, destinations, owned);
    std::vector<Expr> buffers = inputs;
    EntryValue result = makeResult(binding, scope, destinations, owned);
    appendAddresses(result, buffers);
    callKernel(call.callee, plan.kernel, plan, buffers, plan.scalars, scope);
    values_[binding.var.id] = std::move(result);
    return {};
}

Result<void> EntryBuilder::lowerDynamic(const relay::Binding& binding, const relay::FunctionCall& call,
                                        const FunctionPlan& plan, const std::vector<Expr>& inputs, EntryScope& scope,
                                        const Destinations& destinations, Owned& owned) {
    std::vector<arith::Var> fresh;
    for (const relay::Type& type : relay::fieldTypes(binding.type))
        for (const Expr& dim : asTensor(type)->shape)
            for (const arith::Var& var : arith::freeVars(dim))
                if (!defined(var)) {
                    fresh.push_back(var);
                    define(var);
                }
    const BufferUse sizesUse{BufferUse::Kind::Sizes, {}, binding.span};
    std::vector<Expr> buffers = inputs;
    std::vector<Expr> state;
    for (const tir::BufferPtr& buffer : plan.state) {
        const TensorType type{buffer->dtype, buffer->shape, nullptr};
        checkSizes(type, binding.span, scope);
        state.push_back(scope.allocate(bytesOf(type), sizesUse));
    }
    buffers.insert(buffers.end(), state.begin(), state.end());
    Expr sizes = scope.allocate(static_cast<int64_t>(8 * std::max<size_t>(1, fresh.size())), sizesUse);
    buffers.push_back(sizes);
    callKernel(call.callee, plan.kernel, plan, buffers, plan.scalars, scope);
    tir::BufferPtr view =
        tir::makeBuffer("sizes", types::Int64, {Expr(static_cast<int64_t>(std::max<size_t>(1, fresh.size())))});
    scope.bind(view, sizes);
    for (size_t i = 0; i < fresh.size(); ++i)
        scope.define(fresh[i], arith::cast(arith::load(view, {Expr(static_cast<int64_t>(i))}), types::Index));
    scope.newSegment();
    std::vector<Expr> fillBuffers = inputs;
    fillBuffers.insert(fillBuffers.end(), state.begin(), state.end());
    EntryValue result = makeResult(binding, scope, destinations, owned);
    appendAddresses(result, fillBuffers);
    callKernel(call.callee, plan.fill, plan, fillBuffers, plan.fillScalars, scope);
    for (const Expr& address : state)
        scope.release(address);
    values_[binding.var.id] = std::move(result);
    return {};
}

void EntryBuilder::callKernel(const std::string& function, int kernelOrdinal, const FunctionPlan& plan,
                              const std::vector<Expr>& buffers, const std::vector<Expr>& scalars, EntryScope& scope) {
    const Kernel& kernel = kernels_.kernels[static_cast<size_t>(kernelOrdinal)];
    std::vector<Expr> args = buffers;
    args.insert(args.end(), scalars.begin(), scalars.end());
    arith::VarMap map;
    for (size_t i = 0; i < kernel.scalars.size(); ++i)
        map[kernel.scalars[i].get()] = scalars[i];
    auto here = [&](const Expr& expr) { return arith::simplify(arith::substitute(expr, map)); };
    if (const Expr holds = indicesComputable(kernelOrdinal))
        checkOnce(scope, arith::substitute(holds, map), "a size is more than can be computed", plan.span);
    Expr workspace;
    if (kernel.workspaceBytes && !arith::isConst(kernel.workspaceBytes, 0)) {
        workspace = scope.allocate(here(kernel.workspaceBytes), {BufferUse::Kind::Workspace, function, plan.span});
        args.push_back(workspace);
    }
    int callId = static_cast<int>(entry_.calls.size());
    Call call{function,
              kernelOrdinal,
              plan.origins,
              plan.span,
              here(estimateFlops(*kernel.computation)),
              here(estimateBytes(*kernel.computation)),
              scalars};
    entry_.calls.push_back(std::move(call));
    ++calls_;
    scope.add(makeStmt(tir::CallKernel{kernel.name, std::move(args), callId}, -1));
    if (workspace)
        scope.release(workspace);
}

EntryValue EntryBuilder::makeResult(const relay::Binding& binding, EntryScope& scope, const Destinations& destinations,
                                    Owned& owned) {
    EntryValue result;
    if (const relay::TupleType* tuple = relay::asTuple(binding.type)) {
        result.tuple = true;
        for (const relay::Type& field : tuple->fields) {
            const TensorType& type = *asTensor(field);
            checkSizes(type, binding.span, scope);
            Expr address = scope.allocate(bytesOf(type), {.name = {}, .span = binding.span});
            owned.places.push_back(address);
            result.fields.push_back({{}, false, type, address});
        }
    } else {
        const TensorType& type = *asTensor(binding.type);
        checkSizes(type, binding.span, scope);
        result = {{}, false, type, place(binding, type, scope, destinations, owned)};
    }
    return result;
}

Result<void> EntryBuilder::lowerBindSymbols(const relay::Binding& binding, const relay::OpCall& call,
                                            EntryScope& scope) {
    const EntryValue& value = values_.at(call.args.front().id);
    const auto& symbols = relay::attrs<relay::BindSymbolsAttrs>(call.attrs).symbols;
    tir::BufferPtr view = tir::makeBuffer("elements", value.type.dtype, {Expr(static_cast<int64_t>(symbols.size()))});
    scope.bind(view, value.address);
    for (size_t i = 0; i < symbols.size(); ++i) {
        if (!symbols[i] || symbols[i].kind() != arith::ExprKind::Var || defined(symbols[i]))
            continue;
        arith::Var var(symbols[i].node());
        scope.define(var, arith::cast(arith::load(view, {Expr(static_cast<int64_t>(i))}), types::Index));
        define(var);
        constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
        if (var->lower != least || var->upper != most)
            check(scope, arith::logicalAnd(arith::ge(var, var->lower), arith::le(var, var->upper)),
                  tir::CheckKind::InvalidValue, fmt::format("{} is outside {} … {}", var->name, var->lower, var->upper),
                  binding.span);
    }
    scope.newSegment();
    values_[binding.var.id] = EntryValue(value);
    return {};
}

Result<void> EntryBuilder::lowerAssume(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope) {
    const auto& attrs = relay::attrs<relay::AssumeAttrs>(call.attrs);
    if (const Expr holds = computable({attrs.condition}))
        checkOnce(scope, holds, "a size is more than can be computed", binding.span);
    check(scope, attrs.condition, tir::CheckKind::ShapeMismatch, "it does not hold that " + attrs.message,
          binding.span);
    EntryValue value = values_.at(call.args.front().id);
    if (const TensorType* type = asTensor(binding.type))
        value.type = *type;
    values_[binding.var.id] = std::move(value);
    return {};
}

void EntryBuilder::checkSizes(const TensorType& type, model::Span span, EntryScope& scope, const std::string& name) {
    if (const auto size = sizeCondition(type.dtype, type.shape))
        checkOnce(scope, size->holds, name.empty() ? size->message : name + ": " + size->message, span);
}

void EntryBuilder::checkInside(const relay::Function& function, EntryScope& scope) {
    std::set<uint32_t> computed = {function.body->result.id}; // the others are asked for their shape alone, if at all
    for (const relay::BindingPtr& binding : function.body->bindings) {
        const auto* call = binding->as<relay::OpCall>();
        if (!call || call->op != relay::Op::ShapeOf)
            for (relay::Var operand : relay::operands(binding->rhs))
                computed.insert(operand.id);
    }
    for (const relay::BindingPtr& binding : function.body->bindings)
        if (computed.contains(binding->var.id))
            for (const relay::Type& field : relay::fieldTypes(binding->type))
                if (const TensorType* type = asTensor(field); type && defined(*type))
                    checkSizes(*type, binding->span, scope);
}

Expr EntryBuilder::indicesComputable(int kernelOrdinal) {
    const auto [it, fresh] = indicesComputable_.try_emplace(kernelOrdinal);
    if (fresh)
        it->second = computable(scalarIndices(*kernels_.kernels[static_cast<size_t>(kernelOrdinal)].computation));
    return it->second;
}

void EntryBuilder::checkOnce(EntryScope& scope, const Expr& holds, const std::string& message, model::Span span) {
    // Symbols that data define may share a name: the key tells them apart.
    const arith::Names byNode{[](const Expr& var) { return fmt::format("{}", fmt::ptr(var.get())); },
                              [](const arith::StoragePtr& storage) { return storage->name; }};
    std::string text;
    arith::print(text, holds, byNode);
    if (checked_.contains(text))
        return;
    if (depth_ == 0) // what a nested Block checks, it alone has checked
        checked_.insert(text);
    check(scope, holds, tir::CheckKind::InvalidValue, message, span);
}

} // namespace lathe::lower
