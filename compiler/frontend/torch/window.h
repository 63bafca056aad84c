// SPDX-License-Identifier: Apache-2.0
//
// What convolutions and pools have in common: lists of numbers of which one may stand for all dims, and tensors without
// a batch.
#pragma once

#include "frontend/common/window.h"
#include "frontend/torch/call.h"

#include <functional>

namespace lathe::frontend::torch {

/// An argument with an entry for each spatial dim; one entry stands for all, an empty list for `otherwise`. A fault if
/// it is of another length, or one is negative or too large.
Ints perDim(Call& call, const char* name, size_t spatial, const Ints& otherwise = {});

/// Kernel, strides, dilations and the padding on both sides in range, over the spatial dims of x; nothing, and a fault,
/// if not.
std::optional<Window> windowOf(Call& call, Var x, const WindowAttributes& attributes);

/// fn of x with a batch, [N, C, spatial…]; of one that has none, the results without it.
std::vector<Var> batched(Call& call, Var x, size_t spatial, const std::function<std::vector<Var>(Var)>& fn);

} // namespace lathe::frontend::torch
