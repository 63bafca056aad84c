// SPDX-License-Identifier: Apache-2.0
//
// Optional: of equal computations keeps the first.
//
// Two bindings are equal if they do the same to the same Vars with equal attributes and types; constants if their content is. A
// nested Block sees what the Blocks around it computed before, not the other way round. Random operators, checks, and whatever
// defines symbols are never merged. The survivor's Span joins both, so no model node is lost.
//
// Exporters repeat shape arithmetic and weights; after simplify_inference many branches become equal.
#pragma once

#include "relay/ir.h"

namespace lathe::relay::transform {

Module commonSubexpressions(const Module& module);

} // namespace lathe::relay::transform
