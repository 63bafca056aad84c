// SPDX-License-Identifier: Apache-2.0
//
// Variants: the ways to compute an operator beside the one as it stands. One table (in variant.cpp), and rows of the same kind
// that a compilation is handed: a row says of which operator it is a way, its name, the operator that the call becomes, to
// which calls it applies, what it is estimated to take on a target, and how the call is rewritten for it. In which layouts a
// variant wants its operands is said by the operator that it becomes; where that cannot be had, it is not offered. "choose
// variants" takes the one that takes least; what was offered is recorded, and another can be decided.
#pragma once

#include "base/machine_model.h"
#include "relay/transform/make.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::relay::choose {

/// What a row is asked about: a call, and what its code is for.
struct VariantCall {
    const relay::OpCall& call;
    const relay::Index& index;
    const relay::Type& result;
    const MachineModel& machine;
};

/// A way to compute an operator.
struct VariantRow {
    std::string name;          // of one that a plugin adds: "PLUGIN/VARIANT"
    relay::Op of{}, becomes{}; // operands stand where they stood
    std::function<bool(const VariantCall&)> applies;
    std::function<double(const VariantCall&)> cycles; // of one thread, estimated; asked where it applies
    /// Bindings that compute the call's value; the last one gets the call's Var.
    std::function<std::vector<relay::BindingPtr>(const relay::BindingPtr&, const relay::Index&, relay::Module&)>
        rewrite;
};

/// The name of the operator as it stands, which is offered first.
inline constexpr std::string_view asItStands = "direct";

/// A variant that applies to a call.
struct VariantCost {
    std::string name;
    double cycles = 0; // of one thread, estimated; for comparing variants of one call
};

/// The variants of a call, the operator as it stands first: of the table, then of what is added. Empty if there is no choice.
std::vector<VariantCost> variantsOf(const VariantCall& call, std::span<const VariantRow> added = {});

/// The one that takes least; another than the first must save a tenth, for it rounds otherwise.
std::string_view preferredVariant(const std::vector<VariantCost>& variants);

/// Bindings that compute the call's value by a variant that is offered; the last one is to get the call's Var. Empty: it is the
/// first one, the call as it stands.
std::vector<relay::BindingPtr> rewriteAs(std::string_view variant, const relay::BindingPtr& binding,
                                         const relay::Index& index, relay::Module& module,
                                         std::span<const VariantRow> added = {});

} // namespace lathe::relay::choose
