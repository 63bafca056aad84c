// SPDX-License-Identifier: Apache-2.0
//
// One sweep: what is folded is a constant for all that follows.
#include "relay/transform/fold_constants.h"

#include "arith/analysis.h"
#include "base/limits.h"
#include "relay/element.h"
#include "relay/folding.h"
#include "relay/transform/make.h"
#include "relay/visit.h"

#include <algorithm>
#include <limits>
#include <set>

namespace lathe::relay::transform {
namespace {

constexpr int64_t checkedElements = 64 * 1024; // of indices and divisors: those that are looked at one by one
constexpr int64_t nowBytes = 64 * 1024;        // of a result that is always computed at once

/// Bytes that recipes of a module may take together: many of them may come from one constant.
int64_t recipeBytes(const Module& module) {
    int64_t stored = 0;
    visitBindings(module, [&](const Binding& binding) {
        if (const auto* reference = binding.as<ConstantRef>(); reference && !reference->constant->recipe)
            stored += static_cast<int64_t>(reference->constant->bytes.view.size());
    });
    return limits::foldedBytes + 16 * stored;
}

/// Whether a check of the call may fail when it is computed: not of divisions of floats, which have none, nor where the
/// operands that it is about are known to be good.
bool mayFail(const OpCall& call, const std::vector<ConstantPtr>& args, const Type& result) {
    if (!info(call.op).mayFail)
        return false;
    const bool divides = call.op == Op::Divide || call.op == Op::Mod;
    if (divides && asTensor(result)->dtype.isFloat())
        return false;
    int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
    if (call.op == Op::Gather || call.op == Op::GatherElements) {
        const auto axis = static_cast<size_t>(attrs<AxisAttrs>(call.attrs).axis);
        const int64_t dim = arith::asInt(asTensor(args[0]->type)->shape[axis]).value();
        least = -dim;
        most = dim - 1;
    } else if (!divides) {
        return true;
    }
    const auto elements = elementsOf(*args[1], checkedElements);
    return !elements || !std::ranges::all_of(*elements, [&](const Expr& element) {
        const auto value = arith::asInt(element);
        return value && *value >= least && *value <= most && !(divides && *value == 0);
    });
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
            // What may fail is computed at once, or stays a call that says so with its node. Values that were computed have
            // no layout, so what has one stays a recipe.
            const bool mustHold = mayFail(*call, args, binding->type),
                       atOnce = (bytes <= nowBytes || mustHold) && !asTensor(binding->type)->layout;
            if (folded->recipe && atOnce && !hasRecipe) {
                if (!budget.takeSteps(evaluationSteps(steps)))
                    return {binding};
                Result<std::vector<ConstantPtr>> values =
                    evaluator.evaluate(result, *folded->recipe, folded->recipeArgs);
                if (!values)
                    return {binding};
                folded = values->at(0);
            }
            if (folded->recipe && mustHold)
                return {binding};
            if (folded->recipe ? bytes > left || !budget.takeSteps(steps) : !budget.takeBytes(bytes))
                return {binding};
            left -= folded->recipe ? bytes : 0;
            return constantBinding(std::move(folded));
        });
}

} // namespace lathe::relay::transform
