// SPDX-License-Identifier: Apache-2.0
//
// Updates that are joined with each other where they go to the same place, and with what lies there.
#pragma once

#include "frontend/torch/call.h"

namespace lathe::frontend::torch {

/// x with updates of `axis` joined in: kind is sum, prod, mean, amax or amin, as PyTorch calls them. includeSelf: what
/// lies there is joined too, else only kept where nothing goes.
Var withReduced(Call& call, Var x, Var places, Var updates, int64_t axis, const std::string& kind, bool includeSelf);

} // namespace lathe::frontend::torch
