// SPDX-License-Identifier: Apache-2.0
#include "relay/visit.h"

namespace lathe::relay {

void visitBindings(const Function& function, const std::function<void(const Binding&)>& fn) {
    std::vector<const Block*> pending = {function.body.get()};
    while (!pending.empty()) {
        const Block* block = pending.back();
        pending.pop_back();
        for (const BindingPtr& binding : block->bindings) {
            fn(*binding);
            for (const BlockPtr& nested : blocksOf(binding->rhs))
                pending.push_back(nested.get());
        }
    }
}

void visitBindings(const Module& module, const std::function<void(const Binding&)>& fn) {
    for (const auto& [name, function] : module.functions)
        visitBindings(*function, fn);
}

} // namespace lathe::relay
