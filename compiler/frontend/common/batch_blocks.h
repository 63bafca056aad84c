// SPDX-License-Identifier: Apache-2.0
//
// Blocks of elements between the batch and the dims of space, which lie behind it.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// x by operands 1 and 2: the block along each dim of space, and two borders for each, which are filled with `padding`
/// (absent: zeros) or cropped.
Var spaceToBatch(NodeReader& node, Builder& b, Var x, Var padding);
Var batchToSpace(NodeReader& node, Builder& b, Var x);

} // namespace lathe::frontend
