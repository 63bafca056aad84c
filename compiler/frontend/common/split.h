// SPDX-License-Identifier: Apache-2.0
//
// Parts of a tensor along an axis.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// x, whose dim `axis` is to be what `sizes` come to.
Var coveredBy(Builder& b, Var x, int64_t axis, const Dims& sizes);

/// x, whose dim `axis` is to divide into so many equal parts.
Var dividedBy(Builder& b, Var x, int64_t axis, int64_t parts);

/// Where parts of these sizes begin.
Dims beginsOf(const Dims& sizes);

} // namespace lathe::frontend
