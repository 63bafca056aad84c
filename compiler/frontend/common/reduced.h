// SPDX-License-Identifier: Apache-2.0
//
// Reductions whose axes are operands; they may be known only while the model runs.
#pragma once

#include "frontend/common/emit.h"

#include <string>

namespace lathe::frontend {

/// x reduced over the axes that operand 1 names, some maybe twice; x itself if it names none. The attribute keep_dims.
Var reducedBy(NodeReader& node, Builder& b, const std::string& kind, Var x);

/// Where along the axis the greatest or the least element is, of several the first: int64.
Var placeOf(NodeReader& node, Builder& b, Var x, Var axis, bool max);

} // namespace lathe::frontend
