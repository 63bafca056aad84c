// SPDX-License-Identifier: Apache-2.0
//
// Operators that read and write single elements at places that tensors name, or where masks are true.
#include "frontend/common/broadcast.h"
#include "frontend/common/scatter.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/reduced_updates.h"

#include <fmt/format.h>

#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

Var withOneDimAtLeast(Builder& b, Var x) {
    return b.failed() || b.rank(x) > 0 ? x : reshape(b, x, {1});
}

Var flattened(Builder& b, Var x) {
    return b.failed() ? Var{} : reshape(b, x, {product(b.shape(x))});
}

Var gatheredElements(Builder& b, Var x, Var index, int64_t axis) {
    relay::AxisAttrs attrs;
    attrs.axis = axis;
    return b.call(Op::GatherElements, {x, index}, attrs);
}

/// The dims of a tensor that an element of the index stands for each; a tensor without dims counts as one of one
/// element.
struct ElementPlaces {
    Var x, index;
    Dims shape; // of x, as it was
    int64_t axis = 0;

    ElementPlaces(Call& call, Builder& b) : x(call.tensor("self")), index(call.tensor("index")) {
        if (call.failed())
            return;
        shape = b.shape(x);
        x = withOneDimAtLeast(b, x);
        index = cast(b, withOneDimAtLeast(b, index), types::Int64);
        axis = call.axis(call.integer("dim"), b.rank(x));
        if (!isEmpty(b) && !call.failed() && b.rank(index) != b.rank(x))
            call.fail(fmt::format("the index has {} dims and the tensor {}", b.rank(index), b.rank(x)));
    }
    bool isEmpty(Builder& b) const { return !b.failed() && arith::isConst(product(b.shape(index)), 0); }
    /// The part of `source` that the index covers, in x's type.
    Var part(Call& call, Builder& b, Var source) const {
        source = withOneDimAtLeast(b, source);
        if (b.failed())
            return {};
        const Dims all = b.shape(source), wanted = b.shape(index);
        if (all.size() != wanted.size()) {
            call.fail(fmt::format("the index has {} dims and the source {}", wanted.size(), all.size()));
            return {};
        }
        Expr covers = arith::boolImm(true);
        for (size_t i = 0; i < all.size(); ++i)
            covers = arith::logicalAnd(covers, arith::le(wanted[i], all[i]));
        source = assume(b, source, covers, fmt::format("source {} has an element for each of the index", text(all)));
        for (size_t i = 0; i < all.size(); ++i)
            if (!arith::provablyEqual(all[i], wanted[i]))
                source = sliceAxis(b, source, static_cast<int64_t>(i), 0, wanted[i]);
        return cast(b, source, b.failed() ? types::Float32 : b.dtype(x));
    }
    void give(Call& call, Builder& b, Var result) const { call.give(reshape(b, result, shape)); }
};

void convertGather(Call& call, Builder& b) {
    const ElementPlaces at(call, b);
    const Var given = call.tensor("index");
    if (call.failed())
        return;
    if (at.isEmpty(b))
        return call.give(full(b, scalarLike(b, 0, at.x), b.shape(given)));
    call.give(reshape(b, gatheredElements(b, at.x, at.index, at.axis), b.shape(given)));
}

/// x with `updates` joined in. kind is empty where they replace what lies there.
void giveScattered(Call& call, Builder& b, const ElementPlaces& at, Var updates, const std::string& kind,
                   bool includeSelf = true) {
    if (call.failed())
        return;
    if (at.isEmpty(b))
        return at.give(call, b, at.x);
    at.give(call, b,
            kind.empty() ? scatter(b, Op::ScatterElements, at.x, at.index, updates, "none", at.axis)
                         : withReduced(call, at.x, at.index, updates, at.axis, kind, includeSelf));
}

/// The updates: a source's, or one number for all.
Var sourceUpdates(Call& call, Builder& b, const ElementPlaces& at) {
    const Var source = call.tensor("src");
    return at.isEmpty(b) ? Var{} : at.part(call, b, source);
}
Var valueUpdates(Call& call, Builder& b, const ElementPlaces& at) {
    const Scalar value = call.scalar("value");
    return call.failed() ? Var{} : full(b, toTensor(b, value, b.dtype(at.x)), b.shape(at.index));
}

void convertScatterSource(Call& call, Builder& b) {
    const ElementPlaces at(call, b);
    giveScattered(call, b, at, sourceUpdates(call, b, at), {});
}

void convertScatterValue(Call& call, Builder& b) {
    const ElementPlaces at(call, b);
    giveScattered(call, b, at, valueUpdates(call, b, at), {});
}

void convertScatterSourceReduced(Call& call, Builder& b) {
    const ElementPlaces at(call, b);
    giveScattered(call, b, at, sourceUpdates(call, b, at), call.text("reduce"));
}

void convertScatterValueReduced(Call& call, Builder& b) {
    const ElementPlaces at(call, b);
    giveScattered(call, b, at, valueUpdates(call, b, at), call.text("reduce"));
}

void convertScatterAdd(Call& call, Builder& b) {
    const ElementPlaces at(call, b);
    giveScattered(call, b, at, sourceUpdates(call, b, at), "sum");
}

void convertScatterReduce(Call& call, Builder& b) {
    const ElementPlaces at(call, b);
    giveScattered(call, b, at, sourceUpdates(call, b, at), call.text("reduce"), call.flag("include_self"));
}

void convertTake(Call& call, Builder& b) {
    call.give(gather(b, flattened(b, call.tensor("self")), call.tensor("index"), 0));
}

/// Elements put, or added, at places of all elements in order.
void convertPut(Call& call, Builder& b) {
    const Var x = call.tensor("self"), index = call.tensor("index"), source = call.tensor("source");
    const bool adds = call.flag("accumulate");
    if (call.failed())
        return;
    const Var places = cast(b, flattened(b, index), types::Int64), count = b.scalarOf(product(b.shape(x)));
    const Var isBack = less(b, places, b.scalarInt(0));
    const Var updates = withDims(b, flattened(b, source), {product(b.shape(index))});
    const Var result = scatter(b, Op::ScatterElements, flattened(b, x), where(b, isBack, add(b, places, count), places),
                               cast(b, updates, b.dtype(x)), adds ? "add" : "none");
    call.give(reshape(b, result, b.shape(x)));
}

void convertTakeAlongDim(Call& call, Builder& b) {
    Var x = call.tensor("self"), index = call.tensor("indices");
    if (call.failed())
        return;
    if (call.isNone("dim"))
        return call.give(gather(b, flattened(b, x), flattened(b, index), 0));
    const int64_t axis = call.axis(call.integer("dim"), b.rank(x));
    if (call.failed())
        return;
    if (b.rank(x) == 0 || b.rank(index) != b.rank(x))
        return call.fail(fmt::format("indices with {} dims for a tensor with {}", b.rank(index), b.rank(x)));
    Dims ofX = b.shape(x), ofIndex = b.shape(index);
    const auto at = static_cast<size_t>(axis);
    const Expr size = ofX[at], count = ofIndex[at];
    ofX[at] = ofIndex[at] = 1;
    Dims common = broadcastDims(b, {ofX, ofIndex});
    if (call.failed())
        return;
    common[at] = size;
    x = expand(b, x, common);
    common[at] = count;
    call.give(gatheredElements(b, x, expand(b, index, common), axis));
}

// ---- masks

void convertMaskedSelect(Call& call, Builder& b) {
    const std::vector<Var> both = broadcastTogether(b, {call.tensor("self"), call.tensor("mask")});
    relay::AxisAttrs attrs;
    attrs.axis = -1; // of all elements in order
    call.give(b.call(Op::Compress, {flattened(b, both[0]), cast(b, flattened(b, both[1]), types::Bool)}, attrs));
}

void convertMaskedScatter(Call& call, Builder& b) {
    const Var given = call.tensor("self"), source = call.tensor("source");
    const std::vector<Var> both = broadcastTogether(b, {given, cast(b, call.tensor("mask"), types::Bool)});
    if (call.failed())
        return;
    const Var x = both[0], mask = flattened(b, both[1]);
    // How many of the mask are true up to a place says which element of the source goes there. Places that take none
    // read the element put behind the last, so that a source may be empty.
    const Var rank = b.call(Op::CumSum, {cast(b, mask, types::Int64)}, relay::CumAttrs{});
    const Var place = where(b, mask, addTo(b, rank, -1), b.scalarInt(-1));
    const Var flat = cast(b, flattened(b, source), b.dtype(x));
    const Var taken = gather(b, pad(b, flat, "constant", {0}, {1}), place, 0);
    call.give(where(b, both[1], reshape(b, taken, b.failed() ? Dims{} : b.shape(x)), x));
}

constexpr auto gatherRows = std::to_array<Row>({
    {"aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", convertGather, Movement},
    {"aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", convertScatterSource, Movement},
    {"aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", convertScatterValue, Movement},
    {"aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
     convertScatterSourceReduced, Movement},
    {"aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
     convertScatterValueReduced, Movement},
    {"aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", convertScatterAdd, Movement},
    {"aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) "
     "-> Tensor",
     convertScatterReduce, Movement},
    {"aten::take(Tensor self, Tensor index) -> Tensor", convertTake, Movement},
    {"aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", convertPut, Movement},
    {"aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor", convertTakeAlongDim, Movement},
    {"aten::masked_select(Tensor self, Tensor mask) -> Tensor", convertMaskedSelect, Movement},
    {"aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", convertMaskedScatter, Movement},
});

} // namespace

std::span<const Row> rowsOfGather() {
    return gatherRows;
}

} // namespace lathe::frontend::torch
