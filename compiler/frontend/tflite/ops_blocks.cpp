// SPDX-License-Identifier: Apache-2.0
//
// Blocks of elements between the batch or the channels and the dims of space. Space lies between the first and the last
// dim.
#include "frontend/common/batch_blocks.h"
#include "frontend/common/channels.h"
#include "frontend/common/depth_space.h"
#include "frontend/tflite/integers.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/stored_zero.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {
namespace {

void moveDepth(NodeReader& node, Builder& b, Var (*fn)(Builder&, Var, int64_t, BlockOrder)) {
    Movement m(node, {0});
    const Var x = m.in(0);
    const int64_t block = node.integer("block_size", 0);
    if (!node.needRank(x, 4))
        return;
    if (b.rank(x) != 4 || block < 1 || block > 1 << 20)
        return node.fail(fmt::format("the block size is {} and the operand has rank {}", block, b.rank(x)));
    m.give(0, channelsLast(b, fn(b, channelsFirst(b, x), block, BlockOrder::PlaceFirst)));
}

} // namespace

void convertDepthToSpace(NodeReader& node, Builder& b) {
    moveDepth(node, b, depthToSpace);
}

void convertSpaceToDepth(NodeReader& node, Builder& b) {
    moveDepth(node, b, spaceToDepth);
}

void convertSpaceToBatchNd(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    m.give(0, spaceToBatch(node, b, x, storedZero(node, 0, x)));
}

void convertBatchToSpaceNd(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    m.give(0, batchToSpace(node, b, x));
}

} // namespace lathe::frontend::tflite
