// SPDX-License-Identifier: Apache-2.0
//
// Rows joined by the number of the segment that each belongs to.
#pragma once

#include "frontend/common/emit.h"

#include <string>

namespace lathe::frontend {

/// x joined by operand 1, the segments of its rows, which come in order. reduction: add, mul, max, min.
Var sortedSegments(NodeReader& node, Builder& b, Var x, const std::string& reduction);
/// The same in any order, for as many segments as operand 2 says; negative ones are none.
Var unsortedSegments(NodeReader& node, Builder& b, Var x, const std::string& reduction);

} // namespace lathe::frontend
