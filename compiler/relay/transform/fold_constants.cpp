// SPDX-License-Identifier: Apache-2.0
//
// One sweep: what is folded is a constant for all that follows.
#include "relay/transform/fold_constants.h"

#include "base/limits.h"
#include "relay/folding.h"
#include "relay/transform/make.h"
#include "relay/visit.h"

#include <set>

namespace lathe::relay::transform {
namespace {

constexpr int64_t nowBytes = 64 * 1024; // of a result that is always computed at once

/// Bytes that recipes of a module may take together: many of them may come from one constant.
int64_t recipeBytes(const Module& module) {
    int64_t stored = 0;
    visitBindings(module, [&](const Binding& binding) {
        if (const auto* reference = binding.as<ConstantRef>(); reference && !reference->constant->recipe)
            stored += static_cast<int64_t>(reference->constant->bytes.view.size());
    });
    return limits::foldedBytes + 16 * stored;
}

/// Whether the call has a check while running; divisions of floats have none.
bool mayFail(const OpCall& call, const Type& result) {
    const bool divides = call.op == Op::Divide || call.op == Op::Mod;
    return info(call.op).mayFail && !(divides && asTensor(result)->dtype.isFloat());
}

} // namespace

Module foldConstants(const Module& module, Evaluator& evaluator, Budget& budget) {
    Origins origins;
    int64_t left = recipeBytes(module);
    return rewriteModule(
        module,
        [&](const BindingPtr& binding, Rewriter& rewriter, const Index& index,
            Module& result) -> std::vector<BindingPtr> {
            auto constantBinding = [&](ConstantPtr constant) -> std::vector<BindingPtr> {
                auto folded = std::make_shared<Binding>(*binding);
                folded->type = constant->type;
                folded->rhs = ConstantRef{std::move(constant)};
                return {folded};
            };
            if (const Projection* projection = binding->as<Projection>()) {
                const Index::Entry* entry = index.find(projection->tuple);
                const MakeTuple* tuple = entry && entry->binding ? entry->binding->as<MakeTuple>() : nullptr;
                if (!tuple)
                    return {binding};
                rewriter.map[binding->var.id] = tuple->fields[static_cast<size_t>(projection->index)];
                return {};
            }
            const OpCall* call = binding->as<OpCall>();
            if (!call || !info(call->op).pure || info(call->op).numerics == Numerics::Random || call->args.empty())
                return {binding};
            budget.checkpoint();
            std::vector<ConstantPtr> args;
            std::vector<Type> argTypes;
            Origins::Amount from;
            std::set<const Constant*> distinct;
            bool hasRecipe = false;
            for (Var arg : call->args) {
                ConstantPtr constant = arg ? constantOf(index, arg) : nullptr;
                if (!constant || asTensor(constant->type)->dtype == types::String)
                    return {binding};
                if (distinct.insert(constant.get()).second) {
                    from.bytes += origins.of(constant).bytes;
                    from.elements += origins.of(constant).elements;
                }
                hasRecipe |= constant->recipe != nullptr;
                argTypes.push_back(constant->type);
                args.push_back(std::move(constant));
            }
            const int64_t bytes = bytesOf(binding->type).value_or(-1), steps = stepsOf(*call, argTypes, binding->type);
            if (bytes < 0 || !paysAsConstant(binding->type, from) || steps > callSteps)
                return {binding};
            ConstantPtr folded = computeConstant(result, binding->span, call->op, args, call->attrs);
            if (!folded)
                return {binding};
            // What may fail is computed at once, or stays a call that says so with its node.
            const bool atOnce = bytes <= nowBytes || mayFail(*call, binding->type);
            if (folded->recipe && atOnce && !hasRecipe) {
                if (!budget.takeSteps(evaluationSteps(steps)))
                    return {binding};
                Result<std::vector<ConstantPtr>> values =
                    evaluator.evaluate(result, *folded->recipe, folded->recipeArgs);
                if (!values)
                    return {binding};
                folded = values->at(0);
            }
            if (folded->recipe && mayFail(*call, binding->type))
                return {binding};
            if (folded->recipe ? bytes > left || !budget.takeSteps(steps) : !budget.takeBytes(bytes))
                return {binding};
            left -= folded->recipe ? bytes : 0;
            return constantBinding(std::move(folded));
        });
}

} // namespace lathe::relay::transform
