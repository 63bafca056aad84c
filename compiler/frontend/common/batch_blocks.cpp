// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/batch_blocks.h"

#include "frontend/common/integer_operands.h"

#include <fmt/format.h>

#include <optional>

namespace lathe::frontend {
namespace {

/// Operands 1 and 2 of what moves blocks to the batch and back.
struct BatchBlocks {
    Ints blocks;  // of each dim of space
    Expr product; // of them
    Dims borders; // two a dim: paddings, or what is cropped
};

std::optional<BatchBlocks> readBatchBlocks(NodeReader& node, Var x) {
    const auto blocks = knownIntegers(node, 1, "block shape");
    if (!blocks || node.failed())
        return std::nullopt;
    BatchBlocks read{*blocks, 1, integersOf(node, 2, "border")};
    if (!areSizes(node, read.borders, "borders") || !node.needRank(x, static_cast<int>(blocks->size()) + 1))
        return std::nullopt;
    if (blocks->empty() || read.borders.size() != 2 * blocks->size()) {
        node.fail(fmt::format("there are {} borders for {} dims of blocks", read.borders.size(), blocks->size()));
        return std::nullopt;
    }
    int64_t product = 1;
    for (int64_t block : *blocks) {
        if (block < 1 || block > limits::filledElements / product) {
            node.fail(fmt::format("a block is {}", block));
            return std::nullopt;
        }
        product *= block;
    }
    read.product = product;
    return read;
}

} // namespace

Var spaceToBatch(NodeReader& node, Builder& b, Var x, Var padding) {
    const auto read = b.failed() ? std::nullopt : readBatchBlocks(node, x);
    if (!read)
        return {};
    const size_t count = read->blocks.size();
    Dims before(static_cast<size_t>(b.rank(x)), Expr(0)), after = before;
    for (size_t i = 0; i < count; ++i) {
        before[i + 1] = read->borders[2 * i];
        after[i + 1] = read->borders[2 * i + 1];
    }
    x = pad(b, x, "constant", before, after, {}, padding);
    if (b.failed() || !mayFill(node.b, b.shape(x)))
        return {};
    const Dims shape = b.shape(x);
    Dims split = {shape[0]}, result = {arith::simplify(shape[0] * read->product)};
    Ints order; // the places in blocks, the batch, the blocks
    for (size_t i = 0; i < count; ++i) {
        const int64_t block = read->blocks[i];
        x = assume(b, x, arith::eq(arith::floorMod(shape[i + 1], block), 0),
                   fmt::format("dim {} of {} divides into blocks of {}", i + 1, text(shape), block));
        const Expr blocks = arith::simplify(arith::floorDiv(shape[i + 1], block));
        split.insert(split.end(), {blocks, Expr(block)});
        result.push_back(blocks);
        order.push_back(static_cast<int64_t>(2 * i + 2));
    }
    order.push_back(0);
    for (size_t i = 0; i < count; ++i)
        order.push_back(static_cast<int64_t>(2 * i + 1));
    for (size_t i = count + 1; i < shape.size(); ++i) {
        order.push_back(static_cast<int64_t>(split.size()));
        split.push_back(shape[i]);
        result.push_back(shape[i]);
    }
    return reshape(b, transpose(b, reshape(b, x, split), order), result);
}

Var batchToSpace(NodeReader& node, Builder& b, Var x) {
    const auto read = b.failed() ? std::nullopt : readBatchBlocks(node, x);
    if (!read)
        return {};
    const Dims shape = b.shape(x);
    const size_t count = read->blocks.size();
    x = assume(b, x, arith::eq(arith::floorMod(shape[0], read->product), 0),
               fmt::format("the batch of {} divides by {}", text(shape), arith::toString(read->product)));
    const Expr batch = arith::simplify(arith::floorDiv(shape[0], read->product));
    Dims split = toDims(read->blocks), result = {batch};
    split.push_back(batch);
    Ints order = {static_cast<int64_t>(count)};
    for (size_t i = 0; i < count; ++i) {
        order.insert(order.end(), {static_cast<int64_t>(split.size()), static_cast<int64_t>(i)});
        split.push_back(shape[i + 1]);
        result.push_back(arith::simplify(shape[i + 1] * read->blocks[i]));
    }
    for (size_t i = count + 1; i < shape.size(); ++i) {
        order.push_back(static_cast<int64_t>(split.size()));
        split.push_back(shape[i]);
        result.push_back(shape[i]);
    }
    x = reshape(b, transpose(b, reshape(b, x, split), order), result);
    for (size_t i = 0; i < count && !b.failed(); ++i) {
        const Expr first = read->borders[2 * i], last = read->borders[2 * i + 1];
        const Expr left = arith::simplify(result[i + 1] - first - last);
        x = assume(b, x, arith::ge(arith::min(left, arith::min(first, last)), 0),
                   fmt::format("what is cropped lies within dim {} of {}", i + 1, text(result)));
        if (!arith::provablyEqual(left, result[i + 1]))
            x = sliceAxis(b, x, static_cast<int64_t>(i + 1), first, left);
    }
    return x;
}

} // namespace lathe::frontend
