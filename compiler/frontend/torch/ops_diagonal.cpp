// SPDX-License-Identifier: Apache-2.0
//
// Diagonals: taken out of matrices, put into them, and matrices made of them. One with an offset k begins k columns to
// the right of the first place, or -k rows below it.
#include "frontend/common/slice.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// Of diagonals, in which products with any size of a dim do not overflow.
int64_t offsetOf(Call& call, const char* name) {
    constexpr int64_t most = 1 << 22;
    const int64_t offset = call.integer(name);
    if (offset >= -most && offset <= most)
        return offset;
    call.refuse(fmt::format("the offset of a diagonal is {}", offset));
    return 0;
}

/// The matrices that two dims of a tensor are, brought to its end, and where their diagonal lies.
struct Matrices {
    Var x;
    Ints axes; // of the tensor, as they stand in x
    Expr rows, columns, length;
    int64_t firstRow = 0, firstColumn = 0;

    Matrices(Call& call, Builder& b, Var tensor, int64_t dim1, int64_t dim2) {
        if (call.failed())
            return;
        const int64_t rank = b.rank(tensor);
        if (rank < 2) {
            call.fail(fmt::format("a tensor with {} dims has no diagonal", rank));
            return;
        }
        const int64_t row = call.axis(dim1, rank), column = call.axis(dim2, rank);
        const int64_t offset = offsetOf(call, "offset");
        if (!call.failed() && row == column)
            call.fail("a diagonal takes two different dims");
        if (call.failed())
            return;
        for (int64_t i = 0; i < rank; ++i)
            if (i != row && i != column)
                axes.push_back(i);
        axes.push_back(row);
        axes.push_back(column);
        x = transpose(b, tensor, axes);
        rows = dim(b, x, -2);
        columns = dim(b, x, -1);
        firstRow = std::max<int64_t>(-offset, 0);
        firstColumn = std::max<int64_t>(offset, 0);
        length = arith::simplify(arith::max(arith::min(rows - firstRow, columns - firstColumn), 0));
    }

    /// With their two dims as one, and a diagonal with its places in that.
    Var flat(Builder& b) const {
        Dims shape = outer(b);
        shape.push_back(arith::simplify(rows * columns));
        return reshape(b, x, shape);
    }
    Var places(Builder& b, Dims shape) const {
        const Var step = b.scalarOf(arith::simplify(columns + 1)),
                  first = b.scalarOf(arith::simplify(columns * firstRow + firstColumn));
        const auto axis = static_cast<int64_t>(shape.size()) - 1;
        return add(b, mul(b, iota(b, std::move(shape), axis, types::Int64), step), first);
    }
    Dims outer(Builder& b) const {
        Dims shape = b.failed() ? Dims(2) : b.shape(x);
        shape.resize(shape.size() - 2);
        return shape;
    }
};

Var diagonalOf(Call& call, Builder& b, const Matrices& all) {
    if (call.failed())
        return {};
    const Var flat = all.flat(b);
    if (call.failed())
        return {};
    const auto columns = arith::asInt(all.columns);
    if (!columns || *columns >= farAway) // strides of slices are known
        return gather(b, flat, all.places(b, {all.length}), b.rank(flat) - 1);
    relay::SliceAttrs attrs = wholeOf(b, flat);
    attrs.begin.back() = arith::isConst(all.length, 0) ? 0 : all.firstRow * *columns + all.firstColumn;
    attrs.size.back() = all.length;
    attrs.step.back() = *columns + 1;
    return b.call(Op::Slice, {flat}, attrs);
}

void convertDiagonal(Call& call, Builder& b) {
    const Matrices all(call, b, call.tensor("self"), call.integer("dim1"), call.integer("dim2"));
    call.give(diagonalOf(call, b, all));
}

void convertLinalgDiagonal(Call& call, Builder& b) {
    const Matrices all(call, b, call.tensor("A"), call.integer("dim1"), call.integer("dim2"));
    call.give(diagonalOf(call, b, all));
}

void convertDiagonalScatter(Call& call, Builder& b) {
    const Var x = call.tensor("self"), source = call.tensor("src");
    const Matrices all(call, b, x, call.integer("dim1"), call.integer("dim2"));
    if (call.failed())
        return;
    Dims shape = all.outer(b);
    shape.push_back(all.length);
    relay::ScatterAttrs attrs;
    attrs.axis = static_cast<int64_t>(shape.size()) - 1;
    const Var part = withDims(b, cast(b, source, b.dtype(x)), shape);
    const Var matrices = b.call(Op::ScatterElements, {all.flat(b), all.places(b, shape), part}, attrs);
    Ints back(all.axes.size());
    for (size_t i = 0; i < back.size(); ++i)
        back[static_cast<size_t>(all.axes[i])] = static_cast<int64_t>(i);
    call.give(transpose(b, reshape(b, matrices, b.failed() ? Dims{} : b.shape(all.x)), back));
}

/// Matrices in the last two dims that have x's last dim for their diagonal and zeros elsewhere.
Var withDiagonal(Call& call, Builder& b, Var x, int64_t offset) {
    if (call.failed())
        return {};
    const int64_t rank = b.rank(x), down = std::max<int64_t>(-offset, 0), right = std::max<int64_t>(offset, 0);
    const Expr size = arith::simplify(dim(b, x, -1) + (down + right));
    Dims before(static_cast<size_t>(rank), Expr(0)), after = before;
    before.back() = down;
    after.back() = right;
    const Dims square = {size, size};
    const Var row = iota(b, square, 0, types::Int64), column = iota(b, square, 1, types::Int64);
    const Var isOn = equal(b, add(b, row, b.scalarInt(offset)), column);
    const Var byRow = unsqueeze(b, pad(b, x, "constant", before, after), {rank});
    return where(b, isOn, byRow, scalarLike(b, 0, x));
}

void convertDiagEmbed(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (call.failed())
        return;
    const int64_t rank = b.rank(x) + 1;
    if (rank < 2)
        return call.fail("a tensor without dims is no diagonal");
    const int64_t row = call.axis(call.integer("dim1"), rank), column = call.axis(call.integer("dim2"), rank);
    if (!call.failed() && row == column)
        return call.fail("a diagonal takes two different dims");
    Ints axes;
    int64_t next = 0;
    for (int64_t i = 0; i < rank; ++i)
        axes.push_back(i == row ? rank - 2 : i == column ? rank - 1 : next++);
    call.give(transpose(b, withDiagonal(call, b, x, offsetOf(call, "offset")), axes));
}

void convertDiagflat(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (!call.failed())
        call.give(withDiagonal(call, b, reshape(b, x, {product(b.shape(x))}), offsetOf(call, "offset")));
}

/// `offset` has another name there.
void convertDiag(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const int64_t offset = offsetOf(call, "diagonal");
    if (call.failed())
        return;
    const int64_t rank = b.rank(x);
    if (rank == 1)
        return call.give(withDiagonal(call, b, x, offset));
    if (rank != 2)
        return call.fail(fmt::format("a tensor with {} dims is neither a vector nor a matrix", rank));
    const Expr rows = dim(b, x, 0), columns = dim(b, x, 1);
    const int64_t down = std::max<int64_t>(-offset, 0), right = std::max<int64_t>(offset, 0);
    const Expr length = arith::simplify(arith::max(arith::min(rows - down, columns - right), 0));
    const Var place = iota(b, {length}, 0, types::Int64);
    const auto from = [&](int64_t first) { return unsqueeze(b, add(b, place, b.scalarInt(first)), {1}); };
    call.give(b.call(Op::GatherNd, {x, concat(b, {from(down), from(right)}, 1)}, relay::GatherNdAttrs{}));
}

/// int64[2, n]: rows and columns of the places of a matrix below its diagonal, or above it, and on it.
template <bool Upper>
void convertTriangle(Call& call, Builder& b) {
    const int64_t rows = call.integer("row"), columns = call.integer("col"), offset = offsetOf(call, "offset");
    const DataType dtype = call.dtype("dtype").value_or(types::Int64);
    constexpr int64_t most = 1 << 16;
    if (call.failed())
        return;
    if (rows < 0 || columns < 0)
        return call.fail(fmt::format("a matrix of {} rows and {} columns", rows, columns));
    if (rows > most || columns > most)
        return call.refuse(fmt::format("the places of a triangle of {} rows and {} columns", rows, columns));
    int64_t count = 0;
    for (int64_t row = 0; row < rows; ++row) {
        const int64_t left = std::clamp<int64_t>(row + offset + (Upper ? 0 : 1), 0, columns);
        count += Upper ? columns - left : left;
    }
    const Dims matrix = {rows, columns};
    const Var diagonal = add(b, iota(b, matrix, 0, types::Int64), b.scalarInt(offset));
    const Var isIn = b.call(Upper ? Op::GreaterEqual : Op::LessEqual, {iota(b, matrix, 1, types::Int64), diagonal});
    call.give(cast(b, withDims(b, b.call(Op::NonZero, {isIn}), {2, count}), dtype));
}

constexpr auto diagonalRows = std::to_array<Row>({
    {"aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)", convertDiagonal, Movement},
    {"aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor", convertDiagonal, Movement},
    {"aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)",
     convertLinalgDiagonal, Movement},
    {"aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
     convertDiagonalScatter, Movement},
    {"aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", convertDiagEmbed, Movement},
    {"aten::diagflat(Tensor self, int offset=0) -> Tensor", convertDiagflat, Movement},
    {"aten::diag(Tensor self, int diagonal=0) -> Tensor", convertDiag, Movement},
    {"aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? "
     "device=None, bool? pin_memory=None) -> Tensor",
     convertTriangle<false>, Movement},
    {"aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? "
     "device=None, bool? pin_memory=None) -> Tensor",
     convertTriangle<true>, Movement},
});

} // namespace

std::span<const Row> rowsOfDiagonal() {
    return diagonalRows;
}

} // namespace lathe::frontend::torch
