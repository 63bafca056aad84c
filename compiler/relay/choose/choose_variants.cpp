// SPDX-License-Identifier: Apache-2.0
#include "relay/choose/choose_variants.h"

namespace lathe::relay::choose {

Varied chooseVariants(const Module& module, const MachineModel& machine,
                      const std::map<uint32_t, std::string_view>& pins, std::span<const VariantRow> added) {
    std::vector<VariantChoice> choices;
    const auto rewrite = [&](const BindingPtr& binding, Rewriter&, const Index& index,
                             Module& result) -> std::vector<BindingPtr> {
        const auto* call = binding->as<OpCall>();
        std::vector<VariantCost> offered;
        if (call)
            offered = variantsOf({*call, index, binding->type, machine}, added);
        if (offered.empty())
            return {binding};
        const auto pin = pins.find(binding->var.id);
        const std::string name(pin == pins.end() ? preferredVariant(offered) : pin->second);
        choices.push_back({binding->var.id, binding->span, call->op, name, std::move(offered)});
        std::vector<BindingPtr> made = rewriteAs(name, binding, index, result, added);
        return made.empty() ? std::vector<BindingPtr>{binding} : made;
    };
    Module made = transform::rewriteModule(module, rewrite);
    return {std::move(made), std::move(choices)};
}

} // namespace lathe::relay::choose
