// SPDX-License-Identifier: Apache-2.0
//
// Columns next to each other: vectors that step through memory from neighbouring elements, as the unrolled rows of a
// transpose load them. Together they are as many rows, which are loaded as vectors and transposed in registers.
#include "codegen/llvm/emitter.h"
#include "tir/transposed_tile.h"

#include <algorithm>
#include <bit>
#include <map>

namespace lathe::codegen {
namespace {

using Rows = std::vector<Value*>;

/// From rows r, the columns of each block of `count` rows and as many lanes: rows that are half of a block apart are
/// interleaved, as often as halves fit. Within 16 bytes, which is one instruction each.
Rows transposedWithin(llvm::IRBuilder<>& b, Rows rows, int count) {
    const int lanes = static_cast<int>(rows.size());
    for (int round = 1; round < count; round *= 2) {
        Rows next;
        for (int block = 0; block < lanes; block += count)
            for (int i = 0; i < count; ++i) { // low halves make even rows, high halves odd ones
                std::vector<int> order;
                for (int begin = 0; begin < lanes; begin += count)
                    for (int lane = 0; lane < count; ++lane)
                        order.push_back(begin + (i % 2) * count / 2 + lane / 2 + (lane % 2) * lanes);
                const auto first = static_cast<size_t>(block + i / 2);
                next.push_back(b.CreateShuffleVector(rows[first], rows[first + static_cast<size_t>(count / 2)], order));
            }
        rows = std::move(next);
    }
    return rows;
}

/// Blocks of `width` lanes change places: block j of row i with block i of row j, rows and blocks being `width` apart.
Rows transposedBlocks(llvm::IRBuilder<>& b, Rows rows, int width) {
    const int lanes = static_cast<int>(rows.size());
    for (int half = width; half < lanes; half *= 2)
        for (int i = 0; i < lanes; ++i) {
            if (i & half)
                continue;
            std::vector<int> low, high;
            for (int lane = 0; lane < lanes; ++lane) {
                low.push_back(lane & half ? lanes + lane - half : lane);
                high.push_back(lane & half ? lanes + lane : lane + half);
            }
            Value *&a = rows[static_cast<size_t>(i)], *&c = rows[static_cast<size_t>(i + half)];
            Value* both[] = {b.CreateShuffleVector(a, c, low), b.CreateShuffleVector(a, c, high)};
            a = both[0];
            c = both[1];
        }
    return rows;
}

Value* resized(llvm::IRBuilder<>& b, Value* vector, int from, int to) {
    std::vector<int> order;
    for (int lane = 0; lane < to; ++lane)
        order.push_back(lane < from ? lane : llvm::PoisonMaskElem);
    return from == to ? vector : b.CreateShuffleVector(vector, order);
}

} // namespace

/// As tiles, as many of these columns as are near each other.
void FunctionEmitter::loadTiles(const Expr& base, const Expr& stride, std::map<int64_t, std::vector<Expr>> loads) {
    const llvm::Type* element = m_.storageType(loads.begin()->second[0].dtype().scalar());
    const int64_t most = std::min<int64_t>(tir::mostRows, registerLanes(element));
    while (static_cast<int64_t>(loads.size()) >= tir::leastColumns) {
        const auto end = loads.lower_bound(loads.begin()->first + most);
        if (std::distance(loads.begin(), end) >= tir::leastColumns)
            loadTile(base, stride, {loads.begin(), end});
        loads.erase(loads.begin(), end);
    }
}

void FunctionEmitter::loadTile(const Expr& base, const Expr& stride,
                               const std::map<int64_t, std::vector<Expr>>& loads) {
    const Expr& any = loads.begin()->second[0];
    const DataType type = any.dtype();
    llvm::Type* element = m_.storageType(type.scalar());
    const int64_t first = loads.begin()->first;
    const int rows = type.lanes, columns = static_cast<int>(loads.rbegin()->first - first) + 1;
    const int within = std::max(1, 128 / static_cast<int>(element->getPrimitiveSizeInBits()));
    const int size = std::max(within, static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(rows, columns)))));
    llvm::Type* part = llvm::FixedVectorType::get(element, static_cast<unsigned>(columns));
    llvm::Type* whole = llvm::FixedVectorType::get(element, static_cast<unsigned>(size));
    const llvm::Align align(static_cast<uint64_t>(std::max(1, type.scalar().bytes())));
    Value* begin = b_.CreateConstInBoundsGEP1_64(
        element, b_.CreateInBoundsGEP(element, address(*any->storage), value(base)), static_cast<uint64_t>(first));
    Value* step = value(stride);
    Rows tile;
    for (int row = 0; row < size; ++row) {
        if (row >= rows) {
            tile.push_back(llvm::PoisonValue::get(whole));
            continue;
        }
        Value* at = b_.CreateInBoundsGEP(
            element, begin, b_.CreateNSWMul(step, llvm::ConstantInt::get(step->getType(), static_cast<uint64_t>(row))));
        tile.push_back(resized(b_, b_.CreateAlignedLoad(part, at, align), columns, size));
    }
    tile = transposedBlocks(b_, transposedWithin(b_, std::move(tile), within), within);
    for (const auto& [distance, same] : loads) {
        Value* column = resized(b_, tile[static_cast<size_t>(distance - first)], size, rows);
        for (const Expr& load : same)
            loaded_[load.get()] = column;
    }
}

} // namespace lathe::codegen
