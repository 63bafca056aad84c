// SPDX-License-Identifier: Apache-2.0
//
// Variants: the ways to compute an operator. One table (in variant.cpp): a row says of which operator it is a way, its name, the
// operator that the call becomes, to which calls it applies, what it is estimated to take on a target, and how the call is
// rewritten for it. In which layouts a variant wants its operands is said by the operator that it becomes; where that cannot be
// had, it is not offered. "choose variants" takes the one that takes least; what was offered is recorded, and another can be
// decided.
#pragma once

#include "base/machine_model.h"
#include "relay/transform/make.h"

namespace lathe::relay::choose {

/// A variant that applies to a call.
struct VariantCost {
    std::string_view name;
    double cycles = 0; // of one thread, estimated; for comparing variants of one call
};

/// The variants of a call with constant weights, the operator as it stands first. Empty if there is no choice.
std::vector<VariantCost> variantsOf(const relay::OpCall& call, const relay::Index& index, const relay::Type& result,
                                    const MachineModel& machine);

/// The one that takes least; another than the first must save a tenth, for it rounds otherwise.
std::string_view preferredVariant(const std::vector<VariantCost>& variants);

/// Bindings that compute the call's value by a variant; the last one is to get the call's Var. Empty: it is the first one, the
/// call as it stands.
std::vector<relay::BindingPtr> rewriteAs(std::string_view variant, const relay::BindingPtr& binding,
                                         const relay::Index& index, relay::Module& module);

} // namespace lathe::relay::choose
