// SPDX-License-Identifier: Apache-2.0
//
// Parts of a tensor along an axis.
#pragma once

#include "frontend/common/emit.h"

#include <optional>

namespace lathe::frontend {

/// x, whose dim `axis` is to be what `sizes` come to.
Var coveredBy(Builder& b, Var x, int64_t axis, const Dims& sizes);

/// x, whose dim `axis` is to divide into so many equal parts.
Var dividedBy(Builder& b, Var x, int64_t axis, int64_t parts);

/// Sizes of parts of dim `axis`, of which one may be -1: it takes what the others leave. x, which is to hold them, gets the check
/// that none is negative. Nothing after a fault.
std::optional<Dims> partSizes(Builder& b, Var& x, int64_t axis, Dims sizes);

/// Where parts of these sizes begin.
Dims beginsOf(const Dims& sizes);

} // namespace lathe::frontend
