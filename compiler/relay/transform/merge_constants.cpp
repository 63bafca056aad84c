// SPDX-License-Identifier: Apache-2.0
//
// Looks at one producer; longer chains are merged from their beginning on.
#include "relay/transform/merge_constants.h"

#include "relay/transform/make.h"

#include <algorithm>

namespace lathe::relay::transform {

std::vector<BindingPtr> withMergedConstants(const BindingPtr& binding, const OpCall& call, const Index& index,
                                            Module& module) {
    for (const size_t outer : {0u, 1u}) {
        const ConstantPtr second = constantOf(index, call.args[outer]);
        const Index::Entry* entry = second ? index.find(call.args[1 - outer]) : nullptr;
        const OpCall* inner = entry && entry->binding ? entry->binding->as<OpCall>() : nullptr;
        if (!inner || inner->op != call.op)
            continue;
        for (const size_t place : {0u, 1u}) {
            const ConstantPtr first = constantOf(index, inner->args[place]);
            const ConstantPtr both =
                first ? computeConstant(module, binding->span, call.op, {first, second}, AttrsPtr()) : nullptr;
            // Not if two small constants would make a large one.
            if (!both || both->elements() > std::max(first->elements(), second->elements()))
                continue;
            const Var rest = inner->args[1 - place];
            if (!staticType(call.op, {typeOf(index, rest), both->type}, AttrsPtr()))
                continue;
            Maker make(module, binding->span);
            const Maker::Value constant = make.constant(both);
            make.call(call.op, {{rest, typeOf(index, rest)}, constant});
            return make.take(binding->var, binding->modelValue);
        }
    }
    return {binding};
}

} // namespace lathe::relay::transform
