// SPDX-License-Identifier: Apache-2.0
//
// Choose variants: operators that can be computed in several ways are rewritten for the one that takes least by estimate
// (relay/choose/variant.h). Before layouts are chosen: a variant asks for its own.
//
// What was chosen among what is recorded, and can be decided otherwise.
#pragma once

#include "relay/choose/variant.h"

#include <map>

namespace lathe::relay::choose {

struct VariantChoice {
    uint32_t var = 0; // of the call, in the module before
    model::Span span;
    relay::Op op{};
    std::string name;
    std::vector<VariantCost> offered;
};

struct Varied {
    relay::Module module;
    std::vector<VariantChoice> choices; // in the module's order
};

/// pins: names of variants by the call's Var, each one that is offered. added: rows beside the table's, whose names differ.
Varied chooseVariants(const relay::Module& module, const MachineModel& machine,
                      const std::map<uint32_t, std::string_view>& pins = {}, std::span<const VariantRow> added = {});

} // namespace lathe::relay::choose
