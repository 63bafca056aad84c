// SPDX-License-Identifier: Apache-2.0
#include "topi/register_tile.h"

#include "arith/analysis.h"
#include "base/cache_lines.h"
#include "base/machine_model.h"
#include "base/rounding.h"
#include "moves/limits.h"
#include "moves/registers.h"
#include "schedule/schedule_loops.h"
#include "tir/access.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace lathe::topi {

using arith::Expr;

namespace {

/// Fewer of them along a row are as fast one by one.
constexpr int64_t leastWindows = 3;

/// Multiply-adds in flight.
constexpr int64_t hiding = vectorUnits * multiplyAddCycles;

/// Rows that hide that, two vectors wide as tiles are.
constexpr int64_t leastKnownRows = hiding / 2;

/// Elements of a window next to each other that are worth code of their own, where they share what they read.
constexpr int64_t mostShared = 8;

/// Rows of a tile, however many registers there are.
constexpr int64_t mostRows = 12;

/// A row that shares what it reads takes so many registers: accumulator, the registers that it reads, one picked.
constexpr int64_t registersOfShared = 4;

/// Tiles that reach beyond a border choose each element that they read, so there are to be others: of few rows, and none left
/// over at the end, whose tile would be one more.
constexpr int64_t rowsAtBorders = 8, restAtBorders = 2;

/// Results of a smaller group share a vector less than neighbouring windows do.
constexpr int64_t leastGroup = 4;

/// Storing an operand's columns as vectors, an element at a time, pays for so many rows; for one more in every so many
/// steps of the reduction, since dot products combine their lanes less often the longer they are.
constexpr int64_t leastRepacked = 8, stepsOfRepacked = 16;

/// What a band's windows read should stay in the first cache level, beside what is read to compute it. But two bands compute
/// what both read, so a band has at least as many windows as share an element, and never fewer than leastBand.
constexpr int64_t bandBytes = 16 * 1024, leastBand = 8;

/// Rows of the operand of which the first cache holds a line each, for the elements to come.
int64_t cachedRows(const tir::AccessPattern& operand, const arith::Var& row, const Target& target) {
    const int64_t apart = operand.constantStride(row).value_or(0) * operand.buffer->dtype.bytes();
    return rowsHeld(apart, waysOf(target));
}

/// Rows of a tile that is `vectors` wide, for `extent` of them: those with the fewest cycles a step over all tiles, the
/// last one included.
int64_t rowsOf(int64_t extent, int64_t vectors, int64_t fitting, int64_t costOfRest = 1) {
    const int64_t most = std::min({extent, mostRows, fitting});
    if (extent >= moves::endlessExtent)
        return most;
    const auto cost = [&](int64_t rows) { return std::max(rows * vectors, hiding) + 1; }; // 1: the step itself
    int64_t best = 1, least = std::numeric_limits<int64_t>::max();
    for (int64_t rows = 1; rows <= most; ++rows) {
        const int64_t rest = extent % rows;
        const int64_t all = extent / rows * cost(rows) + (rest > 0 ? costOfRest * cost(rest) : 0);
        if (all <= least) {
            least = all;
            best = rows;
        }
    }
    return best;
}

/// Vectors of a tile over `extent` columns: two, and of few rows as many as hide what a multiply-add takes, up to the widest tile;
/// of these those with the fewest cycles a step over all tiles, the last one included. Powers of two: LLVM takes others apart.
int64_t vectorsOf(int64_t extent, int64_t lanes, int64_t rows) {
    if (extent < 2 * lanes)
        return 1;
    const auto cost = [&](int64_t vectors) { return std::max(rows * vectors, hiding); };
    int64_t best = 2, least = std::numeric_limits<int64_t>::max();
    for (int64_t vectors = 2; vectors == 2 || (vectors * rows <= hiding && vectors * lanes <= moves::widestTile);
         vectors *= 2) {
        const int64_t tiles = extent / (vectors * lanes), rest = ceilDiv(extent % (vectors * lanes), lanes);
        const int64_t all = tiles * cost(vectors) + (rest > 0 ? cost(rest) : 0);
        if (extent >= vectors * lanes && all < least) {
            least = all;
            best = vectors;
        }
    }
    return best;
}

/// Neighbouring windows along an axis.
struct Windows {
    Expr apart;          // elements between where they begin
    int64_t windows = 0; // how many of them share an element with the first, the last one rounded down
};

/// Whether one index of a read of the buffer depends on both.
bool shareDim(const tir::Block& body, const tir::Buffer* buffer, const arith::Var& a, const arith::Var& b) {
    bool found = false;
    arith::visit(onlyStore(body)->value, [&](const Expr& node) {
        if (node.kind() == arith::ExprKind::Load && node->storage.get() == buffer)
            found = found || std::ranges::any_of(node->args, [&](const Expr& index) {
                        return arith::mentions(index, a) && arith::mentions(index, b);
                    });
        return !found;
    });
    return found;
}

/// The windows along `iter`, if they overlap or meet: the read moves along it as along a reduced axis, by a few steps of one
/// or the other.
std::optional<Windows> windowsAlong(const tir::AccessPattern& read, const tir::Block& body, const tir::IterVar& iter) {
    const auto found = read.stride.find(iter.var.get());
    if (found == read.stride.end())
        return std::nullopt;
    const Expr& own = found->second;
    for (const tir::IterVar& reduced : body.iters) {
        const auto along = read.stride.find(reduced.var.get());
        if (reduced.kind != tir::IterKind::Reduce || along == read.stride.end())
            continue;
        const Expr& other = along->second;
        const int64_t length = std::min(arith::bounds(reduced.extent).upper, moves::endlessExtent);
        for (int64_t steps = 1; steps <= moves::widestStep; ++steps) {
            if (length > 1 && arith::provablyEqual(own * steps, other))
                return Windows{own, (length - 1) * steps};
            if (length == 1 || steps > length || !arith::provablyEqual(own, other * steps))
                continue;
            // Rows that lie one behind the other meet too.
            if (steps < length || shareDim(body, read.buffer.get(), iter.var, reduced.var))
                return Windows{own, (length - 1) / steps};
        }
    }
    return std::nullopt;
}

/// As far as it matters.
int64_t boundedExtent(const tir::Block& body, int axis) {
    return std::min(arith::bounds(body.iters[static_cast<size_t>(axis)].extent).upper, moves::endlessExtent);
}

/// The tile's windows, its rows (the innermost of them, else the innermost axis that has some) and its band.
void findWindows(RegisterTile& tile, const tir::Block& body) {
    int64_t bytes = 0, shared = 0; // of the outermost one: a step, and windows that share what they read
    for (size_t axis = 0; axis < body.iters.size(); ++axis) {
        const tir::IterVar& iter = body.iters[axis];
        if (iter.kind != tir::IterKind::Spatial || arith::isConst(iter.extent, 1))
            continue;
        bool slides = false;
        for (const tir::AccessPattern& read : readsOf(body))
            if (const auto found = windowsAlong(read, body, iter)) {
                slides = true;
                if (tile.windows.empty()) {
                    bytes = std::max(bytes, arith::asInt(found->apart).value_or(0) * read.buffer->dtype.bytes());
                    shared = std::max(shared, found->windows);
                }
            }
        if (slides)
            tile.windows.insert(static_cast<int>(axis));
    }
    const auto innermost = [&](const std::set<int>& axes) {
        const auto row = std::find_if(axes.rbegin(), axes.rend(), [&](int axis) {
            return axis != tile.vectorAxis && boundedExtent(body, axis) > 1;
        });
        return row == axes.rend() ? -1 : *row;
    };
    tile.rowAxis = innermost(tile.windows);
    if (tile.rowAxis < 0)
        tile.rowAxis = innermost(tile.before);
    tile.before.erase(tile.rowAxis);
    if (tile.windows.empty())
        return;
    const int64_t windows = std::max<int64_t>(1, boundedExtent(body, *tile.windows.begin())),
                  least = std::max(leastBand, shared);
    // Of an unknown number of windows there may be few: a band is computed whole.
    const bool isKnown = bytes != 0 && windows < moves::endlessExtent;
    const int64_t fitting = std::min(windows, isKnown ? std::max(least, bandBytes / bytes) : least);
    tile.band = ceilDiv(windows, ceilDiv(windows, fitting)); // bands of one size
}

/// Whether an axis of `rows` is better for a tile's rows than one of `others`. One of unknown length may be of one row alone, as a
/// batch often is, so one that surely hides what a multiply-add takes goes first.
bool isLonger(int64_t rows, int64_t others) {
    const auto hides = [](int64_t extent) { return extent >= leastKnownRows && extent < moves::endlessExtent; };
    return hides(rows) != hides(others) ? hides(rows) : rows > others;
}

/// Whether both operands lie along the one reduction.
bool areRows(const tir::AccessPattern& a, const tir::AccessPattern& b, const tir::Block& body) {
    const auto isReduced = [](const tir::IterVar& iter) { return iter.kind == tir::IterKind::Reduce; };
    return std::ranges::count_if(body.iters, isReduced) == 1 && a.constantStride(body.iters.back().var) == 1 &&
           b.constantStride(body.iters.back().var) == 1;
}

std::optional<RegisterTile> contractionTile(const tir::Block& body, const Target& target) {
    std::optional<tir::Contraction> found = asContraction(body);
    if (!found)
        return std::nullopt;
    int64_t lanes = target.lanesOf(found->output.buffer->dtype);
    RegisterTile tile;
    const tir::AccessPattern* vectors = nullptr;
    // Best a panel of packed weights, whatever the result's layout; else an axis along which the result is contiguous.
    for (bool packed : {true, false})
        for (size_t i = 0; i < body.iters.size() && tile.vectorAxis < 0; ++i) {
            const tir::IterVar& iter = body.iters[i];
            if (iter.kind != tir::IterKind::Spatial || (!packed && found->output.constantStride(iter.var) != 1))
                continue;
            for (const auto& [own, other] : {std::pair(&found->b, &found->a), std::pair(&found->a, &found->b)})
                if (const int64_t step = own->constantStride(iter.var).value_or(0);
                    step >= 1 && (!packed || step == 1) && !other->uses(iter.var) &&
                    own->panel.contains(iter.var.get()) == packed) {
                    tile.vectorAxis = static_cast<int>(i);
                    vectors = own;
                }
        }
    if (tile.vectorAxis < 0)
        return std::nullopt;
    const tir::AccessPattern* scalars = vectors == &found->b ? &found->a : &found->b;
    tile.columns = vectors->buffer;
    int64_t best = 0;
    for (size_t i = 0; i < body.iters.size(); ++i) {
        const tir::IterVar& iter = body.iters[i];
        if (iter.kind != tir::IterKind::Spatial || static_cast<int>(i) == tile.vectorAxis)
            continue;
        const auto steady = vectors->steady.find(iter.var.get());
        if (vectors->uses(iter.var))
            tile.before.insert(static_cast<int>(i));
        if (vectors->uses(iter.var) && steady == vectors->steady.end())
            continue;
        // Of groups of channels the rows of one.
        const int64_t extent = boundedExtent(body, static_cast<int>(i)),
                      rows = steady == vectors->steady.end() ? extent : steady->second;
        if (scalars->uses(iter.var) && !isLonger(best, rows)) {
            best = rows, tile.rowAxis = static_cast<int>(i);
            tile.group = rows == extent ? 0 : rows;
        }
    }
    tile.before.erase(tile.rowAxis);
    const tir::IterVar& column = body.iters[static_cast<size_t>(tile.vectorAxis)];
    if (vectors->constantStride(column.var) != 1 && areRows(*vectors, *scalars, body) &&
        dimAlong(body, vectors->buffer.get(), column.var) >= 0) { // windows' columns share a dim with their elements
        const int64_t steps = boundedExtent(body, static_cast<int>(body.iters.size()) - 1);
        if (best < std::max(leastRepacked, steps / stepsOfRepacked) || vectors->buffer == scalars->buffer)
            return std::nullopt;
        tile.repacked = vectors->buffer;
    }
    tile.width = lanes * vectorsOf(std::min(arith::bounds(column.extent).upper, moves::endlessExtent), lanes,
                                   std::clamp<int64_t>(best, 1, hiding));
    tile.widths = {lanes, 2 * lanes, 3 * lanes, 4 * lanes};
    if (tile.width > 4 * lanes)
        tile.widths.push_back(tile.width);
    if (auto panel = vectors->panel.find(column.var.get()); panel != vectors->panel.end())
        tile.width = panel->second, tile.widths.clear(), tile.packed = true;
    if (tile.rowAxis >= 0) {
        const int64_t vectorsWide = tile.width / lanes;
        tile.rows = rowsOf(best, vectorsWide,
                           std::min(moves::accumulatedRows(vectorsWide, target.vectorRegisters),
                                    cachedRows(*scalars, body.iters[static_cast<size_t>(tile.rowAxis)].var, target)));
    }
    return tile;
}

/// Whether the elements of a window along the last reduced axis lie between those of its neighbours along `column`, which are
/// more than one step apart: then all of them are picked from one stretch of memory.
bool sharesReads(const tir::Block& body, const tir::IterVar& column) {
    const tir::IterVar& last = body.iters.back();
    const int64_t elements = arith::asInt(last.extent).value_or(0);
    return last.kind == tir::IterKind::Reduce && elements > 1 && elements <= mostShared &&
           std::ranges::any_of(readsOf(body), [&](const tir::AccessPattern& read) {
               return read.constantStride(column.var).value_or(0) > 1 && read.constantStride(last.var).value_or(0) > 0;
           });
}

std::optional<RegisterTile> slidingTile(const tir::Block& body, const Target& target) {
    const tir::Store* store = onlyStore(body);
    if (!store || !isReduction(body))
        return std::nullopt;
    tir::AccessPattern output = accessPatternOf(store->buffer, store->indices, body);
    for (size_t i = 0; i < body.iters.size(); ++i) {
        const tir::IterVar& iter = body.iters[i];
        if (iter.kind != tir::IterKind::Spatial || output.constantStride(iter.var) != 1)
            continue;
        for (const tir::AccessPattern& read : readsOf(body))
            if (auto stride = read.constantStride(iter.var); !stride || *stride < 0 || *stride > moves::widestStep)
                return std::nullopt;
        int64_t lanes = target.lanesOf(store->buffer->dtype);
        const int64_t columns = arith::bounds(iter.extent).upper;
        if (columns < leastWindows)
            return std::nullopt;
        if (columns < lanes)
            lanes = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(columns)));
        RegisterTile tile;
        tile.vectorAxis = static_cast<int>(i);
        tile.width = columns % (2 * lanes) == 0 || columns >= 8 * lanes ? 2 * lanes : lanes;
        tile.widths = {lanes, 2 * lanes, 4 * lanes};
        for (size_t axis = 0; axis < body.iters.size(); ++axis)
            if (axis != i && body.iters[axis].kind == tir::IterKind::Spatial)
                tile.before.insert(static_cast<int>(axis));
        findWindows(tile, body);
        tile.shared = sharesReads(body, iter);
        if (tile.rowAxis >= 0) {
            const int64_t extent = boundedExtent(body, tile.rowAxis), vectors = tile.width / lanes;
            // Set when a maximum that keeps NaNs had its accumulator twice; now it has not, and what more rows give is not
            // measured.
            const int64_t share = store->value.kind() == arith::ExprKind::Add ? 1 : 2;
            const int64_t fitting = tile.shared ? target.vectorRegisters / registersOfShared / vectors
                                                : moves::accumulatedRows(vectors, target.vectorRegisters / share);
            tile.rows = chooses(*store) ? rowsOf(extent, vectors, std::min(fitting, rowsAtBorders), restAtBorders)
                                        : rowsOf(extent, vectors, fitting);
            // Each number of rows that may be left over at the end of an unknown extent is code of its own.
            if (extent == moves::endlessExtent)
                tile.rows = std::min(tile.rows, hiding / vectors);
        }
        return tile;
    }
    return std::nullopt;
}

} // namespace

std::optional<RegisterTile> registerTile(const tir::Block& body, const Target& target) {
    std::optional<RegisterTile> contraction = contractionTile(body, target);
    if (contraction && contraction->rowAxis >= 0 && (contraction->group == 0 || contraction->group >= leastGroup))
        return contraction;
    std::optional<RegisterTile> sliding = slidingTile(body, target);
    return sliding ? sliding : contraction;
}

} // namespace lathe::topi
