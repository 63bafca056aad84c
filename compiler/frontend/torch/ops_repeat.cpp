// SPDX-License-Identifier: Apache-2.0
//
// Operators whose result holds elements of their operands more than once: repetitions, grids, combinations.
#include "frontend/common/broadcast.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/promotion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// repeats: one a dim, counted from the last; the tensor gets dims in front, or they get ones.
void giveTiled(Call& call, Builder& b, Dims repeats) {
    Var x = call.tensor("self");
    if (call.failed())
        return;
    for (const Expr& times : repeats)
        x = assume(b, x, arith::ge(times, 0), "a tensor is not repeated less than no time");
    const auto rank = b.failed() ? repeats.size() : static_cast<size_t>(b.rank(x));
    if (rank < repeats.size())
        x = unsqueeze(b, x, iotaInts(0, static_cast<int64_t>(repeats.size() - rank)));
    if (rank > repeats.size())
        repeats.insert(repeats.begin(), rank - repeats.size(), Expr(1));
    relay::TileAttrs attrs;
    attrs.repeats = std::move(repeats);
    call.give(b.call(Op::Tile, {x}, attrs));
}

void convertRepeat(Call& call, Builder& b) {
    const Dims repeats = call.sizes("repeats");
    const Var x = call.tensor("self");
    if (!call.failed() && static_cast<int64_t>(repeats.size()) < b.rank(x))
        return call.fail(fmt::format("there are {} repeats for {} dims", repeats.size(), b.rank(x)));
    giveTiled(call, b, repeats);
}

void convertTile(Call& call, Builder& b) {
    giveTiled(call, b, call.sizes("dims"));
}

// ---- each element by itself

/// The operand and the dim whose elements are repeated: without one, of all elements in order.
struct Interleaved {
    Var x;
    int64_t axis = 0;

    Interleaved(Call& call, Builder& b) : x(call.tensor("self")) {
        if (call.failed())
            return;
        if (call.isNone("dim") || b.rank(x) == 0)
            x = reshape(b, x, {product(b.shape(x))});
        else
            axis = call.axis(call.integer("dim"), b.rank(x));
    }
};

void convertRepeatEach(Call& call, Builder& b) {
    const Interleaved of(call, b);
    const Expr times = call.size("repeats");
    if (call.failed())
        return;
    Dims wide = b.shape(of.x);
    const auto at = static_cast<size_t>(of.axis);
    Dims result = wide;
    result[at] = arith::simplify(wide[at] * times);
    wide.insert(wide.begin() + of.axis + 1, times);
    const Var x = assume(b, unsqueeze(b, of.x, {of.axis + 1}), arith::ge(times, 0),
                         "elements are not repeated less than no time");
    call.give(reshape(b, expand(b, x, wide), result));
}

/// int64[total]: each place as often as `repeats`, [n], says.
Var repeatedPlaces(Call& call, Builder& b, Var repeats) {
    repeats = cast(b, repeats, types::Int64);
    const Var ends = b.call(Op::CumSum, {repeats}, relay::CumAttrs{});
    Expr total;
    if (call.isNone("output_size")) {
        const Dims known = b.symbolic(reduce(b, "sum", repeats, {0}, false), "repeated");
        total = known.empty() ? Expr(0) : arith::simplify(arith::max(known[0], 0));
    } else {
        total = call.size("output_size");
    }
    // The place of element i is how many others have ended before it.
    const Var place = iota(b, {total, 1}, 0, types::Int64);
    const Var ended = b.call(Op::LessEqual, {ends, place});
    return reduce(b, "sum", cast(b, ended, types::Int64), {1}, false);
}

void convertRepeatEachBy(Call& call, Builder& b) {
    const Interleaved of(call, b);
    Var repeats = call.tensor("repeats");
    if (call.failed())
        return;
    if (b.rank(repeats) > 1)
        return call.fail(fmt::format("repeats with {} dims", b.rank(repeats)));
    if (b.rank(repeats) == 0)
        repeats = reshape(b, repeats, {1});
    const Var each = expand(b, repeats, {dim(b, of.x, of.axis)});
    call.give(gather(b, of.x, repeatedPlaces(call, b, each), of.axis));
}

void convertRepeatedPlaces(Call& call, Builder& b) {
    const Var repeats = call.tensor("repeats");
    if (call.failed())
        return;
    if (b.rank(repeats) != 1)
        return call.fail(fmt::format("repeats with {} dims", b.rank(repeats)));
    call.give(repeatedPlaces(call, b, repeats));
}

// ---- grids

/// Each of the vectors along a dim of its own, over a grid of all. swapped: the first two in each other's dims.
std::vector<Var> gridOf(Call& call, Builder& b, std::vector<Var> vectors, bool swapped) {
    Dims shape;
    for (Var& x : vectors) {
        if (call.failed())
            return {};
        if (b.rank(x) > 1) {
            call.fail(fmt::format("a grid is made of vectors, not of tensors with {} dims", b.rank(x)));
            return {};
        }
        x = b.rank(x) == 0 ? reshape(b, x, {1}) : x;
        shape.push_back(dim(b, x, 0));
    }
    const auto rank = static_cast<int64_t>(shape.size());
    if (rank > limits::tensorRank) {
        call.refuse(fmt::format("a grid of {} vectors", rank));
        return {};
    }
    swapped = swapped && rank >= 2;
    if (swapped)
        std::swap(shape[0], shape[1]);
    for (int64_t i = 0; i < rank; ++i) {
        const int64_t axis = swapped && i < 2 ? 1 - i : i;
        vectors[static_cast<size_t>(i)] = expand(b, alongAxis(b, vectors[static_cast<size_t>(i)], axis, rank), shape);
    }
    return vectors;
}

void convertMeshgrid(Call& call, Builder& b) {
    const std::string indexing = call.schema.find("indexing") ? call.text("indexing") : "ij";
    if (indexing != "ij" && indexing != "xy")
        call.fail(fmt::format("an order of a grid's dims is called '{}'", indexing));
    call.give(gridOf(call, b, call.tensors("tensors"), indexing == "xy"));
}

/// Vectors of the same length as the columns of a matrix.
Var asColumns(Builder& b, std::vector<Var> vectors) {
    for (Var& x : vectors)
        x = unsqueeze(b, x, {1});
    return concat(b, std::move(vectors), 1);
}

void convertCartesianProduct(Call& call, Builder& b) {
    std::vector<Var> vectors = call.tensors("tensors");
    if (vectors.empty())
        call.fail("there are no vectors to combine");
    if (call.failed() || vectors.size() == 1)
        return call.give(vectors.empty() ? Var{} : vectors[0]);
    vectors = gridOf(call, b, promoted(call, {vectors.begin(), vectors.end()}), false);
    for (Var& x : vectors)
        x = b.failed() ? Var{} : reshape(b, x, {product(b.shape(x))});
    call.give(asColumns(b, std::move(vectors)));
}

void convertCombinations(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const int64_t length = call.integer("r");
    const bool again = call.flag("with_replacement");
    if (call.failed())
        return;
    if (b.rank(x) != 1 || length < 0)
        return call.fail("combinations are made of a vector's elements");
    if (length == 0)
        return call.give(full(b, scalarLike(b, 0, x), {0}));
    if (length > limits::tensorRank)
        return call.refuse(fmt::format("combinations of {} elements", length));
    const Var place = iota(b, {dim(b, x, 0)}, 0, types::Int64);
    const std::vector<Var> places = gridOf(call, b, std::vector<Var>(static_cast<size_t>(length), place), false);
    if (call.failed())
        return;
    Var rises;
    for (size_t i = 0; i + 1 < places.size(); ++i) {
        const Var step = b.call(again ? Op::LessEqual : Op::Less, {places[i], places[i + 1]});
        rises = rises ? b.call(Op::LogicalAnd, {rises, step}) : step;
    }
    std::vector<Var> columns;
    for (const Var& one : places) {
        if (call.failed())
            return;
        relay::AxisAttrs all;
        all.axis = -1; // of all elements in order
        const Dims flat = {product(b.shape(one))};
        const Var kept = rises ? b.call(Op::Compress, {reshape(b, one, flat), reshape(b, rises, flat)}, all) : one;
        columns.push_back(kept);
    }
    // One size for all columns: they are compressed by the same condition.
    const Dims size = {dim(b, columns[0], 0)};
    for (Var& column : columns)
        column = gather(b, x, withDims(b, column, size), 0);
    call.give(asColumns(b, std::move(columns)));
}

void convertBroadcastTensors(Call& call, Builder& b) {
    call.give(broadcastTogether(b, call.tensors("tensors")));
}

void convertKron(Call& call, Builder& b) {
    std::vector<Var> both = promoted(call, {call.tensor("self"), call.tensor("other")});
    if (call.failed())
        return;
    const int64_t rank = std::max(b.rank(both[0]), b.rank(both[1]));
    for (Var& x : both)
        x = unsqueeze(b, x, iotaInts(0, rank - b.rank(x)));
    if (call.failed())
        return;
    const Dims outer = b.shape(both[0]), inner = b.shape(both[1]);
    Dims wideOuter, wideInner, result;
    for (size_t i = 0; i < outer.size(); ++i) {
        wideOuter.insert(wideOuter.end(), {outer[i], Expr(1)});
        wideInner.insert(wideInner.end(), {Expr(1), inner[i]});
        result.push_back(arith::simplify(outer[i] * inner[i]));
    }
    call.give(reshape(b, mul(b, reshape(b, both[0], wideOuter), reshape(b, both[1], wideInner)), result));
}

constexpr auto repeatRows = std::to_array<Row>({
    {"aten::repeat(Tensor self, SymInt[] repeats) -> Tensor", convertRepeat, Movement},
    {"aten::tile(Tensor self, SymInt[] dims) -> Tensor", convertTile, Movement},
    {"aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> "
     "Tensor",
     convertRepeatEach, Movement},
    {"aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> "
     "Tensor",
     convertRepeatEachBy, Movement},
    {"aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor", convertRepeatedPlaces,
     Movement},
    {"aten::meshgrid(Tensor[] tensors) -> Tensor[]", convertMeshgrid, Movement},
    {"aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]", convertMeshgrid, Movement},
    {"aten::cartesian_prod(Tensor[] tensors) -> Tensor", convertCartesianProduct, Movement},
    {"aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor", convertCombinations, Movement},
    {"aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]", convertBroadcastTensors, Movement},
    {"aten::kron(Tensor self, Tensor other) -> Tensor", convertKron, Arithmetic},
});

} // namespace

std::span<const Row> rowsOfRepeat() {
    return repeatRows;
}

} // namespace lathe::frontend::torch
