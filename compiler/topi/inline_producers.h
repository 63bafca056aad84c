// SPDX-License-Identifier: Apache-2.0
//
// Which computations have memory of their own and which become part of their readers.
#pragma once

#include "base/target.h"
#include "schedule/attempt.h"
#include "topi/transformed_products.h"

namespace lathe::topi {

/// Producers into consumers where that repeats no real work. Asks for "place". Those of `transformed`, which have a schedule of
/// their own, stay as they are.
void inlineProducers(schedule::Schedule& schedule, const std::optional<TransformedProducts>& transformed,
                     const Target& target, std::vector<schedule::Refusal>& refusals);

} // namespace lathe::topi
