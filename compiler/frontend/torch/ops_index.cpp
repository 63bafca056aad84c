// SPDX-License-Identifier: Apache-2.0
//
// Operators that read and write at places that tensors name, all of a dim's slice at a place.
#include "frontend/common/broadcast.h"
#include "frontend/common/scatter.h"
#include "frontend/torch/advanced_index.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/reduced_updates.h"

#include <fmt/format.h>

#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

void convertIndex(Call& call, Builder&) {
    call.give(AdvancedIndex(call, call.tensor("self"), call.optionalTensors("indices")).read());
}

void convertIndexPut(Call& call, Builder&) {
    AdvancedIndex index(call, call.tensor("self"), call.optionalTensors("indices"));
    call.give(index.written(call.tensor("values"), call.flag("accumulate")));
}

void convertMaskedIndex(Call& call, Builder& b) {
    const Var x = call.tensor("self"), mask = call.tensor("mask");
    AdvancedIndex index(call, x, call.optionalTensors("indices"));
    index.clampPlaces();
    const Var read = index.read();
    if (!call.failed())
        call.give(where(b, cast(b, mask, types::Bool), read, toTensor(b, call.scalar("fill"), b.dtype(x))));
}

void convertMaskedIndexPut(Call& call, Builder& b) {
    AdvancedIndex index(call, call.tensor("self"), call.optionalTensors("indices"));
    index.clampPlaces();
    const Var mask = cast(b, call.tensor("mask"), types::Bool), values = call.tensor("values");
    call.give(index.written(where(b, mask, values, scalarLike(b, 0, values)), true));
}

/// A tensor, a dim of it, and places in that, which may be one alone.
struct IndexedRows {
    Var x;
    bool hadNoDims = false; // x, which is taken for a vector of one element
    int64_t axis = 0;
    Var index; // rank 1

    IndexedRows(Call& call, Builder& b) : x(call.tensor("self")), index(call.tensor("index")) {
        if (call.failed())
            return;
        hadNoDims = b.rank(x) == 0;
        if (hadNoDims)
            x = reshape(b, x, {1});
        axis = call.axis(call.integer("dim"), b.rank(x));
        if (b.rank(index) == 0)
            index = reshape(b, index, {1});
        if (b.rank(index) != 1)
            call.fail(fmt::format("the index has {} dims, where it is a list of places", b.rank(index)));
    }

    /// x's dims with as many along the axis as there are places.
    Dims partShape(Builder& b) const {
        if (b.failed())
            return {};
        Dims shape = b.shape(x);
        shape[static_cast<size_t>(axis)] = dim(b, index, 0);
        return shape;
    }
    /// `source`, one slice a place, in x's type.
    Var part(Builder& b, Var source) const {
        if (b.failed())
            return {};
        if (b.rank(source) == 0)
            source = reshape(b, source, {1});
        return withDims(b, cast(b, source, b.dtype(x)), partShape(b));
    }
    /// The place of each element of `part`.
    Var places(Builder& b) const {
        return b.failed() ? Var{} : expand(b, alongAxis(b, index, axis, b.rank(x)), partShape(b));
    }
    void give(Call& call, Builder& b, Var result) const { call.give(hadNoDims ? reshape(b, result, {}) : result); }
};

void convertIndexSelect(Call& call, Builder& b) {
    const IndexedRows rows(call, b);
    rows.give(call, b, gather(b, rows.x, rows.index, rows.axis));
}

void convertIndexAdd(Call& call, Builder& b) {
    const IndexedRows rows(call, b);
    const Var part = rows.part(b, call.tensor("source"));
    const Scalar alpha = call.scalar("alpha");
    if (call.failed())
        return;
    if (b.dtype(rows.x).isBool())
        return rows.give(call, b, scatter(b, Op::ScatterElements, rows.x, rows.places(b), part, "max", rows.axis));
    const bool isOne = alpha.isKnown() && alpha.number() == 1;
    const Var scaled = isOne ? part : mul(b, part, toTensor(b, alpha, b.dtype(part)));
    rows.give(call, b, scatter(b, Op::ScatterElements, rows.x, rows.places(b), scaled, "add", rows.axis));
}

void convertIndexCopy(Call& call, Builder& b) {
    const IndexedRows rows(call, b);
    const Var part = rows.part(b, call.tensor("source"));
    rows.give(call, b, scatter(b, Op::ScatterElements, rows.x, rows.places(b), part, "none", rows.axis));
}

void convertIndexFill(Call& call, Builder& b) {
    const IndexedRows rows(call, b);
    const Scalar value = call.scalar("value");
    if (call.failed())
        return;
    const Var part = full(b, toTensor(b, value, b.dtype(rows.x)), rows.partShape(b));
    rows.give(call, b, scatter(b, Op::ScatterElements, rows.x, rows.places(b), part, "none", rows.axis));
}

void convertIndexReduce(Call& call, Builder& b) {
    const IndexedRows rows(call, b);
    const Var part = rows.part(b, call.tensor("source"));
    rows.give(
        call, b,
        withReduced(call, rows.x, rows.places(b), part, rows.axis, call.text("reduce"), call.flag("include_self")));
}

constexpr auto indexRows = std::to_array<Row>({
    {"aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", convertIndex, Movement},
    {"aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", convertIndex, Movement},
    {"aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", convertIndexPut,
     Movement},
    {"aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
     convertIndexPut, Movement},
    {"aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor",
     convertMaskedIndex, Movement},
    {"aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor",
     convertMaskedIndexPut, Movement},
    {"aten::index_select(Tensor self, int dim, Tensor index) -> Tensor", convertIndexSelect, Movement},
    {"aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", convertIndexAdd,
     Movement},
    {"aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", convertIndexCopy, Movement},
    {"aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", convertIndexFill,
     Movement},
    {"aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor", convertIndexFill,
     Movement},
    {"aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> "
     "Tensor",
     convertIndexReduce, Movement},
});

} // namespace

std::span<const Row> rowsOfIndex() {
    return indexRows;
}

} // namespace lathe::frontend::torch
