// SPDX-License-Identifier: Apache-2.0
//
// Operators that take a part of a tensor by places that the program names, and those that give a tensor with such a
// part replaced.
#include "frontend/common/slice.h"
#include "frontend/torch/moved.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

int64_t slicedAxis(Call& call, Moved& m) {
    if (!call.failed() && m.rank == 0)
        call.fail("a tensor without dims has no parts");
    return m.axis(call.integer("dim"));
}

/// Where the part lies that start, end and step say.
relay::SliceAttrs slicedBy(Call& call, Builder& b, Moved& m, int64_t axis) {
    relay::SliceAttrs attrs = wholeOf(b, m.x);
    const Expr start = call.isNone("start") ? Expr(0) : call.size("start");
    const Expr end = call.isNone("end") ? Expr(farAway) : call.size("end");
    const int64_t step = std::min(call.integer("step"), farAway);
    if (call.failed())
        return attrs;
    if (step < 1)
        call.fail(fmt::format("the step of a slice is {}", step));
    else
        sliceDim(attrs, static_cast<size_t>(axis), start, end, step);
    return attrs;
}

void convertSlice(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = slicedAxis(call, m);
    const relay::SliceAttrs attrs = slicedBy(call, b, m, axis);
    m.give(b.call(Op::Slice, {m.x}, attrs));
}

/// A place from the end if it is negative; the tensor, if the place is one of the dim's.
Expr placeWithin(Builder& b, Moved& m, int64_t axis, const Expr& index) {
    const Expr size = dim(b, m.x, axis);
    const Expr place = arith::simplify(
        arith::bounds(index).lower >= 0 ? index : arith::select(arith::lt(index, 0), index + size, index));
    m.x = assume(b, m.x, arith::logicalAnd(arith::ge(place, 0), arith::lt(place, size)),
                 fmt::format("a dim of {} has a place {}", arith::sizeText(size), arith::sizeText(index)));
    return place;
}

void convertSelect(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = slicedAxis(call, m);
    const Expr place = placeWithin(b, m, axis, call.size("index"));
    m.give(squeeze(b, sliceAxis(b, m.x, axis, place, 1), {axis}));
}

void giveNarrowed(Call& call, Builder& b, const Expr& start) {
    Moved m(call);
    const int64_t axis = slicedAxis(call, m);
    const Expr size = dim(b, m.x, axis), length = call.size("length");
    const Expr begin = arith::simplify(
        arith::bounds(start).lower >= 0 ? start : arith::select(arith::lt(start, 0), start + size, start));
    const Expr within = arith::logicalAnd(arith::logicalAnd(arith::ge(begin, 0), arith::ge(length, 0)),
                                          arith::le(begin + length, size));
    m.x = assume(b, m.x, within,
                 fmt::format("a dim of {} has {} elements from place {} on", arith::sizeText(size),
                             arith::sizeText(length), arith::sizeText(start)));
    m.give(sliceAxis(b, m.x, axis, begin, length));
}

void convertNarrow(Call& call, Builder& b) {
    giveNarrowed(call, b, call.size("start"));
}

/// x with `part` in place of its elements from `begin` along an axis, each `step`th.
Var withPart(Builder& b, Var x, Var part, int64_t axis, const Expr& begin, int64_t step) {
    if (b.failed())
        return {};
    part = cast(b, part, b.dtype(x));
    const Expr size = dim(b, part, axis), end = arith::simplify(begin + size);
    if (arith::isConst(size, 0))
        return x;
    if (step == 1) {
        std::vector<Var> parts;
        if (!arith::isConst(begin, 0))
            parts.push_back(sliceAxis(b, x, axis, 0, begin));
        parts.push_back(part);
        const Expr rest = arith::simplify(dim(b, x, axis) - end);
        if (!arith::isConst(rest, 0))
            parts.push_back(sliceAxis(b, x, axis, end, rest));
        return parts.size() == 1 ? part : concat(b, parts, axis);
    }
    relay::ScatterAttrs attrs;
    attrs.axis = axis;
    const Var places = add(b, mul(b, iota(b, b.shape(part), axis, types::Int64), b.scalarInt(step)), b.scalarOf(begin));
    return b.call(Op::ScatterElements, {x, places, part}, attrs);
}

void convertSliceScatter(Call& call, Builder& b) {
    Moved m(call), source(call, "src");
    const int64_t axis = slicedAxis(call, m);
    const relay::SliceAttrs attrs = slicedBy(call, b, m, axis);
    const Var part = withDims(b, source.x, attrs.size);
    if (call.failed())
        return;
    const auto at = static_cast<size_t>(axis);
    m.give(withPart(b, m.x, part, axis, attrs.begin[at], attrs.step[at]));
}

void convertSelectScatter(Call& call, Builder& b) {
    Moved m(call), source(call, "src");
    const int64_t axis = slicedAxis(call, m);
    const Expr place = placeWithin(b, m, axis, call.size("index"));
    if (call.failed())
        return;
    Dims wanted = b.shape(m.x);
    wanted.erase(wanted.begin() + axis);
    m.give(withPart(b, m.x, unsqueeze(b, withDims(b, source.x, wanted), {axis}), axis, place, 1));
}

// ---- strides

/// The places, in a tensor of `elements` in order, of what strides over them reach.
Var stridedPlaces(Call& call, Builder& b, const Expr& elements) {
    const Dims sizes = call.sizes("size"), strides = call.sizes("stride");
    const Expr offset = call.isNone("storage_offset") ? Expr(0) : call.size("storage_offset");
    if (call.failed())
        return {};
    if (sizes.size() != strides.size()) {
        call.fail(fmt::format("there are {} strides for {} dims", strides.size(), sizes.size()));
        return {};
    }
    Var places = b.scalarOf(offset);
    Expr last = offset, some = arith::boolImm(true);
    for (size_t i = 0; i < sizes.size(); ++i) {
        if (arith::bounds(strides[i]).lower < 0) {
            call.fail(fmt::format("a stride is {}", arith::sizeText(strides[i])));
            return {};
        }
        last = last + arith::max(sizes[i] - 1, 0) * strides[i];
        some = arith::logicalAnd(some, arith::gt(sizes[i], 0));
        places = add(b, places, mul(b, iota(b, sizes, static_cast<int64_t>(i), types::Int64), b.scalarOf(strides[i])));
    }
    const Expr within = arith::logicalAnd(arith::ge(offset, 0), arith::lt(last, elements));
    return assume(b, places, arith::logicalOr(arith::logicalNot(some), within),
                  "strides stay within the elements of the tensor");
}

void convertAsStrided(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (call.failed())
        return;
    const Expr elements = product(b.shape(x));
    const Var places = stridedPlaces(call, b, elements);
    call.give(gather(b, reshape(b, x, {elements}), places, 0));
}

void convertAsStridedScatter(Call& call, Builder& b) {
    const Var x = call.tensor("self"), source = call.tensor("src");
    if (call.failed())
        return;
    const Expr elements = product(b.shape(x));
    const Var places = stridedPlaces(call, b, elements);
    if (call.failed())
        return;
    const Var part = withDims(b, cast(b, source, b.dtype(x)), b.shape(places));
    const Expr count = product(b.shape(places));
    const Var all =
        b.call(Op::ScatterElements, {reshape(b, x, {elements}), reshape(b, places, {count}), reshape(b, part, {count})},
               relay::ScatterAttrs{});
    call.give(reshape(b, all, b.shape(x)));
}

constexpr auto sliceRows = std::to_array<Row>({
    {"aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)",
     convertSlice, Movement},
    {"aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
     convertSlice, Movement},
    {"aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)", convertSelect, Movement},
    {"aten::select_copy.int(Tensor self, int dim, SymInt index) -> Tensor", convertSelect, Movement},
    {"aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)", convertNarrow, Movement},
    {"aten::narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)", convertNarrow, Movement},
    {"aten::narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor", convertNarrow, Movement},
    {"aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) "
     "-> Tensor",
     convertSliceScatter, Movement},
    {"aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor", convertSelectScatter, Movement},
    {"aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
     convertAsStrided, Movement},
    {"aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
     convertAsStrided, Movement},
    {"aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) "
     "-> Tensor",
     convertAsStridedScatter, Movement},
});

} // namespace

std::span<const Row> rowsOfSlice() {
    return sliceRows;
}

} // namespace lathe::frontend::torch
