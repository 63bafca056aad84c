// SPDX-License-Identifier: Apache-2.0
//
// One sweep: what is folded is a constant for all that follows.
#include "relay/transform/fold_constants.h"

#include "relay/element.h"
#include "relay/transform/make.h"

namespace lathe::relay::transform {
namespace {

constexpr int64_t nowBytes = 64 * 1024; // of a result that is computed at once
constexpr int64_t growthBytes = 4096;   // below it, growing does not matter

int64_t bytesOf(const Type& type) {
    const TensorType* tensor = asTensor(type);
    std::optional<std::vector<int64_t>> dims = tensor ? constantShape(tensor->shape) : std::nullopt;
    if (!dims)
        return -1;
    int64_t bytes = tensor->dtype.bytes();
    for (int64_t dim : *dims)
        if (__builtin_mul_overflow(bytes, dim, &bytes))
            return -1;
    return bytes;
}

int64_t storedBytes(const Constant& constant) {
    return constant.recipe ? bytesOf(constant.type) : static_cast<int64_t>(constant.bytes.view.size());
}

} // namespace

Module foldConstants(const Module& module, Evaluator& evaluator) {
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
            std::vector<ConstantPtr> args;
            int64_t operandBytes = 0;
            for (Var arg : call->args) {
                ConstantPtr constant = arg ? constantOf(index, arg) : nullptr;
                if (!constant || asTensor(constant->type)->dtype == types::String)
                    return {binding};
                operandBytes += storedBytes(*constant);
                args.push_back(std::move(constant));
            }
            int64_t bytes = bytesOf(binding->type);
            if (bytes < 0 || (bytes > growthBytes && bytes > 4 * operandBytes))
                return {binding};
            ConstantPtr folded = computeConstant(result, binding->span, call->op, args, call->attrs);
            if (!folded)
                return {binding};
            bool hasRecipe = false;
            for (const ConstantPtr& arg : args)
                hasRecipe |= arg->recipe != nullptr;
            if (folded->recipe && bytes <= nowBytes && !hasRecipe) {
                Result<std::vector<ConstantPtr>> values =
                    evaluator.evaluate(result, *folded->recipe, folded->recipeArgs);
                if (!values)
                    return {binding};
                folded = values->at(0);
            }
            // A check that must fail when running stays a call, which says so with its node.
            if (folded->recipe && info(call->op).mayFail && !asTensor(binding->type)->dtype.isFloat())
                return {binding};
            return constantBinding(std::move(folded));
        });
}

} // namespace lathe::relay::transform
