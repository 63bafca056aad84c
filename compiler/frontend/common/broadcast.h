// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are made to have the same dims.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// What dims broadcast to; a fault if they never do. Where only running tells, expanding to them checks it.
Dims broadcastDims(Builder& b, const std::vector<Dims>& all);

/// Each expanded to what all broadcast to.
std::vector<Var> broadcastTogether(Builder& b, std::vector<Var> all);

} // namespace lathe::frontend
