// SPDX-License-Identifier: Apache-2.0
//
// Diagonals of matrices: bands of them beside the main one, shorter ones filled up in front or behind.
#include "frontend/common/diagonal.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

#include <fmt/format.h>

#include <optional>

namespace lathe::frontend::tensorflow {
namespace {

/// Diagonals of matrices [.., rows, columns], by how far they lie to the right of the main one. They stand one below the
/// other, the highest first, as [.., diagonals, longest], or a single one as [.., longest].
struct Band {
    int64_t lowest = 0, highest = 0;
    bool endsAbove = false,
         endsBelow = false; // whether shorter ones to the right, and to the left, are filled in front
    Expr rows, columns;

    bool isMain() const { return lowest == 0 && highest == 0; }
    int64_t count() const { return highest - lowest + 1; }
    Expr longest() const {
        const Expr down = rows + std::min<int64_t>(highest, 0), right = columns - std::max<int64_t>(lowest, 0);
        return arith::simplify(arith::max(arith::min(down, right), 0));
    }
    /// How much of a diagonal, int64 of any shape, is filled in front.
    Var filled(Builder& b, Var diagonal) const {
        const Var zero = b.scalarInt(0);
        const Var length = minimum(b, add(b, b.scalarOf(rows), minimum(b, diagonal, zero)),
                                   sub(b, b.scalarOf(columns), maximum(b, diagonal, zero)));
        const auto counts = [&](bool ends, Op side) {
            return b.call(Op::LogicalAnd, {b.scalar(ends ? 1 : 0, types::Bool), b.call(side, {diagonal, zero})});
        };
        const Var isFilled =
            b.call(Op::LogicalOr, {counts(endsAbove, Op::GreaterEqual), counts(endsBelow, Op::LessEqual)});
        return where(b, isFilled, sub(b, b.scalarOf(longest()), length), zero);
    }
};

/// The diagonals that operand `at` names, the main one if it is absent; nothing after a fault.
std::optional<Band> bandOf(NodeReader& node, size_t at) {
    constexpr int64_t most = 1 << 22;
    Band band;
    if (node.hasInput(at)) {
        const auto known = knownIntegers(node, at, "diagonal");
        if (!known)
            return std::nullopt;
        if (known->empty() || known->size() > 2 || known->front() > known->back() || known->front() < -most ||
            known->back() > most) {
            node.fail(fmt::format("operand {} names no band of diagonals", at));
            return std::nullopt;
        }
        band.lowest = known->front();
        band.highest = known->back();
    }
    // Before there was an attribute, all began in front.
    const std::string align = node.text("align", node.node.op.ends_with("V3") ? "RIGHT_LEFT" : "LEFT_LEFT");
    band.endsAbove = align.starts_with("RIGHT");
    band.endsBelow = align.ends_with("RIGHT");
    return band;
}

/// x with its last `count` dims as one.
Var flattened(Builder& b, Var x, int64_t count) {
    if (b.failed())
        return {};
    Dims shape = b.shape(x);
    const auto end = shape.end() - count;
    const Expr size = product({end, shape.end()});
    shape.erase(end, shape.end());
    shape.push_back(size);
    return reshape(b, x, shape);
}

Var within(Builder& b, Var x, const Expr& end) {
    return b.call(Op::LogicalAnd, {b.call(Op::GreaterEqual, {x, b.scalarInt(0)}), less(b, x, b.scalarOf(end))});
}
Var kept(Builder& b, Var place, const Expr& end) {
    const Var last = b.scalarOf(arith::simplify(arith::max(end - 1, 0)));
    return minimum(b, maximum(b, place, b.scalarInt(0)), last);
}

/// Matrices with `diagonals` in their band, and elsewhere what `elsewhere` has.
Var withBand(Builder& b, const Band& band, Var diagonals, Var elsewhere) {
    const Dims matrix = {band.rows, band.columns};
    const Var row = iota(b, matrix, 0, types::Int64), column = iota(b, matrix, 1, types::Int64);
    const Var diagonal = sub(b, column, row), number = sub(b, b.scalarInt(band.highest), diagonal);
    const Var place = add(b, minimum(b, row, column), band.filled(b, diagonal));
    const Var flat =
        add(b, mul(b, kept(b, number, band.count()), b.scalarOf(band.longest())), kept(b, place, band.longest()));
    const Var all = band.count() == 1 ? diagonals : flattened(b, diagonals, 2);
    if (b.failed())
        return {};
    return where(b, within(b, number, band.count()), gather(b, all, flat, b.rank(all) - 1), elsewhere);
}

} // namespace

void convertMatrixDiag(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    auto band = bandOf(node, 1);
    std::optional<int64_t> sizes[2];
    for (const size_t i : {0, 1}) {
        sizes[i] = node.hasInput(2 + i) ? knownInteger(node, 2 + i, "size") : std::optional<int64_t>(-1);
        if (sizes[i] && (*sizes[i] < -1 || *sizes[i] > farAway))
            node.fail(fmt::format("a matrix has {} rows or columns", *sizes[i]));
    }
    if (!band || !sizes[0] || !sizes[1] || !node.needRank(x, band->count() == 1 ? 1 : 2))
        return;
    const Expr longest = dim(b, x, -1), rows = arith::simplify(longest - std::min<int64_t>(band->highest, 0)),
               columns = arith::simplify(longest + std::max<int64_t>(band->lowest, 0));
    const Expr larger = arith::simplify(arith::max(rows, columns));
    const bool isFree = *sizes[0] == -1 && *sizes[1] == -1;
    band->rows = isFree ? larger : *sizes[0] == -1 ? rows : Expr(*sizes[0]);
    band->columns = isFree ? larger : *sizes[1] == -1 ? columns : Expr(*sizes[1]);
    const Var elsewhere = node.hasInput(4) ? asScalar(b, node.in(4)) : scalarLike(b, 0, x);
    if (band->isMain() && isFree)
        return node.set(0, diagonalMatrix(b, x, elsewhere));
    if (!mayFill(b, {band->rows, band->columns}))
        return;
    const Expr fits = arith::logicalAnd(arith::eq(band->longest(), longest),
                                        arith::eq(band->count() == 1 ? Expr(1) : dim(b, x, -2), band->count()));
    node.set(
        0, withBand(b, *band, assume(b, x, fits, "diagonals have the lengths that a matrix has them with"), elsewhere));
}

void convertMatrixSetDiag(NodeReader& node, Builder& b) {
    const Var x = node.in(0), diagonal = node.in(1);
    auto band = bandOf(node, 2);
    if (!band || !node.needRank(x, 2) || !node.needRank(diagonal, band->count() == 1 ? 1 : 2))
        return;
    if (band->isMain())
        return node.set(0, withDiagonal(b, x, diagonal));
    band->rows = dim(b, x, -2);
    band->columns = dim(b, x, -1);
    Dims shape = b.shape(diagonal);
    shape.back() = band->longest();
    if (band->count() > 1)
        shape[shape.size() - 2] = band->count();
    node.set(0, withBand(b, *band, withDims(b, diagonal, shape), x));
}

void convertMatrixDiagPart(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    auto band = bandOf(node, 1);
    if (!band || !node.needRank(x, 2))
        return;
    band->rows = dim(b, x, -2);
    band->columns = dim(b, x, -1);
    const Dims shape = band->count() == 1 ? Dims{band->longest()} : Dims{band->count(), band->longest()};
    if (!mayFill(b, shape))
        return;
    const auto last = static_cast<int64_t>(shape.size()) - 1;
    Var diagonal = b.scalarInt(band->highest);
    if (band->count() > 1)
        diagonal = sub(b, diagonal, iota(b, shape, 0, types::Int64));
    const Var zero = b.scalarInt(0);
    const Var place = sub(b, iota(b, shape, last, types::Int64), band->filled(b, diagonal));
    const Var row = sub(b, place, minimum(b, diagonal, zero)), column = add(b, place, maximum(b, diagonal, zero));
    const Var flat =
        add(b, mul(b, kept(b, row, band->rows), b.scalarOf(band->columns)), kept(b, column, band->columns));
    const Var isInside = b.call(
        Op::LogicalAnd, {b.call(Op::GreaterEqual, {place, zero}),
                         b.call(Op::LogicalAnd, {within(b, row, band->rows), within(b, column, band->columns)})});
    const Var all = flattened(b, x, 2), elsewhere = node.hasInput(2) ? asScalar(b, node.in(2)) : scalarLike(b, 0, x);
    if (!b.failed())
        node.set(0, where(b, isInside, gather(b, all, flat, b.rank(all) - 1), elsewhere));
}

/// Keeps `lower` diagonals below and `upper` above the main one; negative: all.
void convertMatrixBandPart(NodeReader& node, Builder& b) {
    const Var x = node.in(0), lower = cast(b, asScalar(b, node.in(1)), types::Int64),
              upper = cast(b, asScalar(b, node.in(2)), types::Int64);
    if (!node.needRank(x, 2))
        return;
    const Dims matrix = {dim(b, x, -2), dim(b, x, -1)};
    const Var below = sub(b, iota(b, matrix, 0, types::Int64), iota(b, matrix, 1, types::Int64));
    const Var zero = b.scalarInt(0);
    const auto isNear = [&](Var distance, Var most) {
        return b.call(Op::LogicalOr, {less(b, most, zero), b.call(Op::LessEqual, {distance, most})});
    };
    const Var stays = b.call(Op::LogicalAnd, {isNear(below, lower), isNear(b.call(Op::Negative, {below}), upper)});
    node.set(0, where(b, stays, x, scalarLike(b, 0, x)));
}

} // namespace lathe::frontend::tensorflow
