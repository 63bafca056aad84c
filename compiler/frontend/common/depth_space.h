// SPDX-License-Identifier: Apache-2.0
//
// Blocks of an image between its channels and its height and width.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// Which of a block's places and channels stands first where both make up the channels of [N, C, H, W].
enum class BlockOrder { PlaceFirst, ChannelFirst };

/// x: [N, C, H, W]; block: at least 1.
Var depthToSpace(Builder& b, Var x, int64_t block, BlockOrder order = BlockOrder::PlaceFirst);
Var spaceToDepth(Builder& b, Var x, int64_t block, BlockOrder order = BlockOrder::PlaceFirst);

} // namespace lathe::frontend
