// SPDX-License-Identifier: Apache-2.0
//
// Which activations are stored in blocks of channels, [n, C/b, spatial…, b]: a convolution then writes whole vectors, and
// what follows (additions, pooling, depthwise convolutions) runs along them whatever the window and its step. Of channels that
// b does not divide the last block is part padding (lower/layout.h says what that means).
//
// Which calls make blocks, carry those of their operands and gain by them is said by the operator table
// (relay/layout_columns.h). The choice, per function: what a convolution makes wants blocks, and what is computed of such
// values element by element or channel by channel wants them too. Kept are those that gain (poolings and depthwise convolutions of blocks) and those
// with a reader that does, or that is a convolution which reads blocks, straight or through the others: all else is written as the model has
// it. A value with readers of both kinds is stored both ways.
#pragma once

#include "base/target.h"
#include "relay/ir.h"

#include <set>

namespace lathe::relay::choose {

struct ChannelBlocks {
    std::map<uint32_t, relay::LayoutPtr> layouts; // Var -> its layout
    /// Whether a binding reads operands that have a layout as they are; else it gets a logical copy.
    std::set<uint32_t> readers; // by the Var bound
    /// Values with a layout that something uses that is no operator: only those of Winograd convolutions, which are slow in
    /// the model's order.
    std::set<uint32_t> escaping;
    /// Convolutions whose results can be stored in blocks: the widths to choose from.
    std::map<uint32_t, std::vector<int64_t>> offered;

    relay::LayoutPtr of(relay::Var var) const;
};

/// pinned: by Var of a convolution the width of its blocks, one of those offered; 0: the model's order. What follows a
/// convolution has blocks of the same width.
ChannelBlocks chooseChannelBlocks(const relay::Function& function, const Target& target,
                                  const std::map<uint32_t, int64_t>& pinned);

/// How wide blocks of `extent` elements are: a vector or two, whichever stores fewer, two if equal. 0: no blocks, for more than
/// half of what they store would be padding, or the extent is unknown.
int64_t blockWidth(const arith::Expr& extent, DataType dtype, const Target& target);

/// Blocks along `dim`, which stands where it stood; the elements of a block innermost.
relay::LayoutPtr blocksAlong(size_t rank, size_t dim, int64_t width);

} // namespace lathe::relay::choose
