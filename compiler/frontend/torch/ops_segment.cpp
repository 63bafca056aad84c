// SPDX-License-Identifier: Apache-2.0
//
// Reductions of runs of rows, sums to a smaller shape, and slopes between neighbours.
#include "frontend/common/scatter.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/promotion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// A way to reduce a segment: how a row is joined, and what a segment begins with where the program does not say.
struct SegmentKind {
    std::string_view name;
    const char* joins;
    double begin;
};
constexpr double endless = std::numeric_limits<double>::infinity();
constexpr auto segmentKinds = std::to_array<SegmentKind>(
    {{"sum", "add", 0}, {"mean", "add", 0}, {"prod", "mul", 1}, {"max", "max", -endless}, {"min", "min", endless}});

/// Where each segment ends, [segments]: by lengths, or by offsets that begin with 0.
Var segmentEnds(Call& call, Builder& b) {
    const Var lengths = call.optionalTensor("lengths"), offsets = call.optionalTensor("offsets");
    if (call.failed())
        return {};
    const Var given = lengths ? lengths : offsets;
    if (!given || b.rank(given) != 1 || call.integer("axis") != 0) {
        call.refuse("segments are those of the first dim, by their lengths or by offsets");
        return {};
    }
    const Var whole = cast(b, given, types::Int64);
    if (lengths)
        return b.call(Op::CumSum, {whole}, relay::CumAttrs{});
    const Expr count = dim(b, whole, 0);
    return sliceAxis(b, whole, 0, arith::simplify(arith::min(count, 1)), arith::simplify(arith::max(count - 1, 0)));
}

void convertSegmentReduce(Call& call, Builder& b) {
    const Var x = call.tensor("data");
    const std::string name = call.text("reduce");
    const auto* const kind = std::ranges::find(segmentKinds, name, &SegmentKind::name);
    const Var ends = segmentEnds(call, b);
    const std::optional<Scalar> initial = call.optionalScalar("initial");
    if (call.failed())
        return;
    if (kind == segmentKinds.end() || b.rank(x) == 0 || !b.dtype(x).isFloat())
        return call.fail(fmt::format("rows of real numbers are not reduced by '{}'", name));
    const Expr segments = dim(b, ends, 0);
    // A row is in the segment that as many have ended before it; behind the last it goes to a row that is cut off.
    const Var row = iota(b, {dim(b, x, 0), 1}, 0, types::Int64);
    const Var segment = reduce(b, "sum", cast(b, b.call(Op::LessEqual, {ends, row}), types::Int64), {1}, true);
    const auto joined = [&](Var begin, Var rows, const char* how) {
        Dims shape = b.failed() ? Dims(1) : b.shape(rows);
        shape[0] = arith::simplify(segments + 1);
        return sliceAxis(b, scatter(b, Op::ScatterNd, full(b, begin, shape), segment, rows, how), 0, 0, segments);
    };
    const DataType dtype = b.dtype(x);
    Var result = joined(initial ? toTensor(b, *initial, dtype) : b.scalar(kind->begin, dtype), x, kind->joins);
    if (name == "mean") {
        const Var count = joined(b.scalar(0, dtype), full(b, b.scalar(1, dtype), b.shape(x)), "add");
        const Var isEmpty = equal(b, count, b.scalar(0, dtype));
        const Var ofNone = initial ? result : b.scalar(std::numeric_limits<double>::quiet_NaN(), dtype);
        result = where(b, isEmpty, ofNone, div(b, result, where(b, isEmpty, b.scalar(1, dtype), count)));
    }
    call.give(result);
}

void convertSumToSize(Call& call, Builder& b) {
    Var x = call.tensor("self");
    const Dims size = call.sizes("size");
    if (call.failed())
        return;
    const Dims shape = b.shape(x);
    if (size.size() > shape.size())
        return call.fail(fmt::format("{} is summed to fewer dims, not to {}", text(shape), text(size)));
    const size_t added = shape.size() - size.size();
    Ints axes = iotaInts(0, static_cast<int64_t>(added));
    for (size_t i = 0; i < size.size(); ++i)
        if (arith::isConst(size[i], 1) && !arith::isConst(shape[added + i], 1))
            axes.push_back(static_cast<int64_t>(added + i));
    if (!axes.empty()) {
        if (!b.dtype(x).isFloat())
            x = cast(b, x, types::Int64);
        x = reduce(b, "sum", x, axes, true);
    }
    Dims left = b.failed() ? shape : b.shape(x);
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(added)); // which are of one element now
    call.give(withDims(b, reshape(b, x, left), size));
}

// ---- slopes

/// Slopes along an axis by differences over two elements; at both ends over one, or of a parabola through three.
Var slopesAlong(Call& call, Builder& b, Var x, int64_t axis, double spacing, int64_t edgeOrder) {
    const Expr size = dim(b, x, axis);
    x = assume(b, x, arith::gt(size, edgeOrder), fmt::format("a slope takes more than {} elements", edgeOrder));
    if (call.failed())
        return {};
    const auto at = [&](int64_t place) {
        return sliceAxis(b, x, axis, place < 0 ? arith::simplify(size + place) : Expr(place), 1);
    };
    const Expr inner = arith::simplify(arith::max(size - 2, 0));
    const Var centre = mulBy(
        b, sub(b, sliceAxis(b, x, axis, arith::simplify(arith::min(size, 2)), inner), sliceAxis(b, x, axis, 0, inner)),
        0.5);
    Var first = sub(b, at(1), at(0)), last = sub(b, at(-1), at(-2));
    if (edgeOrder == 2) {
        first = sub(b, sub(b, mulBy(b, at(1), 2), mulBy(b, at(0), 1.5)), mulBy(b, at(2), 0.5));
        last = add(b, sub(b, mulBy(b, at(-1), 1.5), mulBy(b, at(-2), 2)), mulBy(b, at(-3), 0.5));
    }
    const Var all = concat(b, {first, centre, last}, axis);
    return spacing == 1 ? all : inSingle(b, all, [&](Var v) { return div(b, v, scalarLike(b, spacing, v)); });
}

void convertGradient(Call& call, Builder& b) {
    const Var x = promotedToFloat(call, call.tensor("self"));
    const int64_t edgeOrder = call.integer("edge_order");
    if (call.failed())
        return;
    const int64_t rank = b.rank(x);
    Ints axes = call.integers("dim");
    if (axes.empty())
        axes = iotaInts(0, rank);
    std::vector<double> spacing = call.schema.find("spacing") ? call.reals("spacing") : std::vector<double>{};
    if (spacing.empty())
        spacing = {1};
    if (spacing.size() == 1)
        spacing.resize(axes.size(), spacing[0]);
    if (rank == 0 || edgeOrder < 1 || edgeOrder > 2 || spacing.size() != axes.size())
        return call.fail(
            fmt::format("slopes of order {} by {} spacings along {} dims", edgeOrder, spacing.size(), axes.size()));
    std::vector<Var> slopes;
    for (size_t i = 0; i < axes.size() && !call.failed(); ++i) {
        const int64_t axis = call.axis(axes[i], rank);
        slopes.push_back(call.failed() ? Var{} : slopesAlong(call, b, x, axis, spacing[i], edgeOrder));
    }
    call.give(std::move(slopes));
}

constexpr auto segmentRows = std::to_array<Row>({
    {"aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? "
     "offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor",
     convertSegmentReduce, Reduction},
    {"aten::sum_to_size(Tensor self, SymInt[] size) -> Tensor", convertSumToSize, Reduction},
    {"aten::gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]",
     convertGradient, Arithmetic},
    {"aten::gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]",
     convertGradient, Arithmetic},
    {"aten::gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]", convertGradient, Arithmetic},
    {"aten::gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor[]",
     convertGradient, Arithmetic},
    {"aten::gradient.scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]",
     convertGradient, Arithmetic},
});

} // namespace

std::span<const Row> rowsOfSegment() {
    return segmentRows;
}

} // namespace lathe::frontend::torch
