// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/depth_space.h"

#include <fmt/format.h>

namespace lathe::frontend {

Var depthToSpace(Builder& b, Var x, int64_t block, BlockOrder order) {
    const Expr n = dim(b, x, 0), c = dim(b, x, 1), h = dim(b, x, 2), w = dim(b, x, 3);
    if (!arith::divisible(c, block) && arith::isConst(c)) {
        b.fail(fmt::format("{} channels do not divide by the square of blocksize {}", arith::toString(c), block));
        return {};
    }
    const Expr depth = arith::simplify(arith::floorDiv(c, block * block));
    const bool channelFirst = order == BlockOrder::ChannelFirst;
    const Var split =
        channelFirst ? reshape(b, x, {n, depth, block, block, h, w}) : reshape(b, x, {n, block, block, depth, h, w});
    const Var moved = transpose(b, split, channelFirst ? Ints{0, 1, 4, 2, 5, 3} : Ints{0, 3, 4, 1, 5, 2});
    return reshape(b, moved, {n, depth, arith::simplify(h * block), arith::simplify(w * block)});
}

Var spaceToDepth(Builder& b, Var x, int64_t block, BlockOrder order) {
    const Expr n = dim(b, x, 0), c = dim(b, x, 1);
    const Expr h = arith::simplify(arith::floorDiv(dim(b, x, 2), block)),
               w = arith::simplify(arith::floorDiv(dim(b, x, 3), block));
    const Var moved = transpose(b, reshape(b, x, {n, c, h, block, w, block}),
                                order == BlockOrder::ChannelFirst ? Ints{0, 1, 3, 5, 2, 4} : Ints{0, 3, 5, 1, 2, 4});
    return reshape(b, moved, {n, arith::simplify(c * (block * block)), h, w});
}

} // namespace lathe::frontend
