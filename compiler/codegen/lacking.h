// SPDX-License-Identifier: Apache-2.0
//
// Whether a CPU can run code of a target: what the code needs and the CPU does not have.
#pragma once

#include "codegen/target.h"

#include <string>
#include <vector>

namespace lathe::codegen {

/// By the names of Required::isa, then "vectors of 256 bits" where their length does not fit; empty: the code runs there.
/// `has`: what a CPU of the target's kind of machine has, its `vectorBits` 0 where nobody knows their length.
std::vector<std::string> lacking(const Target& target, const Required& has);

} // namespace lathe::codegen
