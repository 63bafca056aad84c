// SPDX-License-Identifier: Apache-2.0
//
// Group normalization: the channels of each group, and all that is slid over, by their mean and deviation.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

struct GroupNorm {
    int64_t groups = 1;
    double epsilon = 1e-5;
    Var scale, bias; // of each channel, [C], or of each group, [groups]; may be absent
    bool ofGroups = false;
};
/// In x's type: mean and the inverse of the deviation are [N, groups, 1, 1].
struct GroupNormalized {
    Var y, mean, inverse;
};

/// x: [N, C, …], of whose channels there are whole groups.
GroupNormalized groupNormalized(Builder& b, Var x, const GroupNorm& norm);

} // namespace lathe::frontend
