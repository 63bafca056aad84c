// SPDX-License-Identifier: Apache-2.0
//
// Operators that look for elements: which are not zero, where values stand among sorted ones, which differ, how often
// each occurs.
#include "frontend/common/buckets.h"
#include "frontend/common/one_hot.h"
#include "frontend/common/scatter.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/promotion.h"

#include <fmt/format.h>

#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

Var asVectorOf(Builder& b, Var x) {
    return b.failed() ? Var{} : reshape(b, x, {product(b.shape(x))});
}

// ---- what is not zero

/// int64[n, rank]: a row for each element that is not zero.
Var nonZeroRows(Builder& b, Var x) {
    return transpose(b, b.call(Op::NonZero, {x}), {1, 0});
}

void convertNonZero(Call& call, Builder& b) {
    call.give(nonZeroRows(b, call.tensor("self")));
}

void convertNonZeroColumns(Call& call, Builder& b) {
    Var x = call.tensor(call.schema.arguments[0].name.c_str());
    if (call.failed())
        return;
    if (b.rank(x) == 0)
        x = reshape(b, x, {1});
    const Var found = b.call(Op::NonZero, {x});
    const Expr count = dim(b, found, 1);
    std::vector<Var> columns;
    for (int64_t i = 0; i < b.rank(x); ++i)
        columns.push_back(reshape(b, sliceAxis(b, found, 0, i, 1), {count}));
    call.give(std::move(columns));
}

/// The first rows, filled up where there are fewer.
void convertNonZeroStatic(Call& call, Builder& b) {
    const Var rows = nonZeroRows(b, call.tensor("self"));
    const Expr wanted = call.size("size"), found = dim(b, rows, 0);
    if (call.failed())
        return;
    if (arith::bounds(wanted).lower < 0)
        return call.fail(fmt::format("{} rows are asked for", arith::sizeText(wanted)));
    const Expr kept = arith::simplify(arith::min(found, wanted));
    const Var fill = b.scalarInt(call.integer("fill_value"));
    call.give(
        pad(b, sliceAxis(b, rows, 0, 0, kept), "constant", {0, 0}, {arith::simplify(wanted - kept), 0}, {}, fill));
}

void convertOneHot(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const Expr given = call.size("num_classes");
    if (call.failed())
        return;
    Expr classes = given;
    if (arith::isConst(given, -1)) {
        const Dims largest = b.symbolic(reduce(b, "max", asVectorOf(b, x), {0}, false), "class");
        classes = arith::simplify(arith::max((largest.empty() ? Expr(0) : largest[0]) + 1, 0));
    } else if (arith::bounds(given).lower < 0) {
        return call.fail(fmt::format("there are {} classes", arith::sizeText(given)));
    }
    if (!call.failed())
        call.give(cast(b, oneHot(b, cast(b, x, types::Int64), classes, b.rank(x)), types::Int64));
}

// ---- places among sorted values

/// The places of x among sorted values, by what the call says of sides and types.
Var placesBySide(Call& call, Builder& b, Var sorted, Var x) {
    const std::string side = call.schema.find("side") ? call.text("side") : std::string();
    if (!side.empty() && side != "left" && side != "right")
        call.fail(fmt::format("a side is called '{}'", side));
    const bool right = call.flag("right") || side == "right";
    const bool narrow = call.flag("out_int32");
    if (call.failed())
        return {};
    const int64_t rank = b.rank(sorted);
    if (rank < 1 || (rank > 1 && rank != b.rank(x))) {
        call.fail(fmt::format("sorted values with {} dims for {}", rank, text(b.shape(x))));
        return {};
    }
    const std::vector<Var> both = promoted(call, {sorted, x});
    return cast(b, placesAmong(b, both[0], both[1], right), narrow ? types::Int32 : types::Int64);
}

void convertBucketize(Call& call, Builder& b) {
    call.give(placesBySide(call, b, call.tensor("boundaries"), call.tensor("self")));
}

void convertSearchSorted(Call& call, Builder& b) {
    Var sorted = call.tensor("sorted_sequence");
    if (const Var sorter = call.optionalTensor("sorter"); sorter && !call.failed()) {
        relay::AxisAttrs attrs;
        attrs.axis = b.rank(sorted) - 1;
        sorted = b.call(Op::GatherElements, {sorted, sorter}, attrs);
    }
    call.give(placesBySide(call, b, sorted, call.tensor("self")));
}

/// Whether each of the elements is among others.
void convertIsIn(Call& call, Builder& b) {
    const std::vector<Var> both = promoted(
        call, {call.tensor(call.schema.arguments[0].name.c_str()), call.tensor(call.schema.arguments[1].name.c_str())});
    const bool invert = call.flag("invert");
    if (call.failed())
        return;
    const int64_t rank = b.rank(both[0]);
    const Var found = reduce(b, "or", equal(b, unsqueeze(b, both[0], {rank}), asVectorOf(b, both[1])), {rank}, false);
    call.give(invert ? b.call(Op::LogicalNot, {found}) : found);
}

// ---- different values

/// Of results that the program does not ask for.
Var noIndices(Builder& b) {
    return full(b, b.scalarInt(0), {0});
}

void giveUnique(Call& call, Builder& b, Var x, int64_t axis, bool wantsInverse, bool wantsCounts) {
    if (call.failed())
        return;
    relay::UniqueAttrs attrs;
    attrs.axis = axis;
    const Var all = b.call(Op::Unique, {x}, attrs);
    if (call.failed())
        return;
    Var inverse = noIndices(b), counts = inverse;
    if (wantsInverse)
        inverse = axis < 0 ? reshape(b, b.project(all, 2), b.shape(x)) : b.project(all, 2);
    if (wantsCounts)
        counts = b.project(all, 3);
    call.give({b.project(all, 0), inverse, counts});
}

/// PyTorch sorts them also where it is not asked to.
void convertUnique(Call& call, Builder& b) {
    giveUnique(call, b, call.tensor("self"), -1, call.flag("return_inverse"), call.flag("return_counts"));
}

void convertUniqueDim(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (call.failed())
        return;
    if (b.rank(x) == 0)
        return call.fail("a tensor without dims has no slices");
    giveUnique(call, b, x, call.axis(call.integer("dim"), b.rank(x)), call.flag("return_inverse"),
               call.flag("return_counts"));
}

/// The first of each run of equal slices.
void convertUniqueConsecutive(Call& call, Builder& b) {
    const Var given = call.tensor("self");
    const bool flat = call.isNone("dim"); // along a dim PyTorch gives all results, asked for or not
    const bool wantsInverse = !flat || call.flag("return_inverse"), wantsCounts = !flat || call.flag("return_counts");
    if (call.failed())
        return;
    const Var x = flat || b.rank(given) == 0 ? asVectorOf(b, given) : given;
    const int64_t rank = b.rank(x), axis = flat ? 0 : call.axis(call.integer("dim"), rank);
    if (call.failed())
        return;
    const Expr size = dim(b, x, axis);
    const Var place = iota(b, {size}, 0, types::Int64);
    const Var before = maximum(b, addTo(b, place, -1), b.scalarInt(0));
    Var differs = b.call(Op::NotEqual, {x, gather(b, x, before, axis)});
    Ints others = iotaInts(0, rank);
    others.erase(others.begin() + axis);
    if (!others.empty())
        differs = reduce(b, "or", differs, others, false);
    const Var begins = b.call(Op::LogicalOr, {differs, equal(b, place, b.scalarInt(0))});
    relay::AxisAttrs along;
    along.axis = axis;
    const Var values = b.call(Op::Compress, {x, begins}, along);
    Var inverse = noIndices(b), counts = inverse;
    if (wantsInverse) {
        inverse = addTo(b, b.call(Op::CumSum, {cast(b, begins, types::Int64)}, relay::CumAttrs{}), -1);
        if (flat)
            inverse = reshape(b, inverse, b.failed() ? Dims{} : b.shape(given));
    }
    if (wantsCounts) {
        const Var starts = b.call(Op::Compress, {place, begins}, relay::AxisAttrs{});
        const Expr runs = dim(b, starts, 0);
        const Var ends = concat(b, {starts, full(b, b.scalarOf(size), {1})}, 0);
        // Without runs there is only the end.
        counts = sub(b, sliceAxis(b, ends, 0, arith::simplify(arith::min(runs, 1)), runs), starts);
    }
    call.give({values, inverse, counts});
}

// ---- counts

/// `weights`, one an element of `places`, added up where they go: [count].
Var countedAt(Builder& b, Var places, Var weights, const Expr& count) {
    const Var zeros = full(b, scalarLike(b, 0, weights), {count});
    return scatter(b, Op::ScatterElements, zeros, places, weights, "add");
}

void convertBinCount(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    Var weights = call.optionalTensor("weights");
    const Expr least = call.size("minlength");
    if (call.failed())
        return;
    if (b.rank(x) != 1 || !b.dtype(x).isInt())
        return call.fail("numbers are counted in vectors of integers that are not negative");
    const Var places = cast(b, x, types::Int64);
    const Var largest = reduce(b, "max", pad(b, places, "constant", {0}, {1}, {}, b.scalarInt(-1)), {0}, false);
    const Dims known = b.symbolic(largest, "largest");
    if (call.failed())
        return;
    const Expr count = arith::simplify(arith::max(known[0] + 1, arith::max(least, 0)));
    if (!weights)
        weights = full(b, b.scalarInt(1), b.shape(x));
    else if (b.dtype(weights) != types::Float32)
        weights = cast(b, weights, types::Float64);
    call.give(countedAt(b, places, withDims(b, weights, b.shape(x)), count));
}

void convertHistogram(Call& call, Builder& b) {
    const Var x = asVectorOf(b, call.tensor("self"));
    const int64_t bins = call.integer("bins");
    const double low = call.real("min"), high = call.real("max");
    if (call.failed())
        return;
    if (bins < 1 || bins > 1 << 24 || low > high || !b.dtype(x).isFloat())
        return call.fail(fmt::format("{} bins from {} to {}", bins, low, high));
    Var from = scalarLike(b, low, x), to = scalarLike(b, high, x);
    if (low == high) { // those of the data, which a range without width is widened to
        from = reduce(b, "min", x, {0}, false);
        to = reduce(b, "max", x, {0}, false);
        const Var isPoint = equal(b, from, to);
        from = where(b, isPoint, addTo(b, from, -1), from);
        to = where(b, isPoint, addTo(b, to, 1), to);
    }
    const Var inside = b.call(Op::LogicalAnd, {b.call(Op::GreaterEqual, {x, from}), b.call(Op::LessEqual, {x, to})});
    const Var scaled = div(b, mulBy(b, sub(b, x, from), static_cast<double>(bins)), sub(b, to, from));
    const Var bin = minimum(b, cast(b, where(b, inside, scaled, scalarLike(b, 0, x)), types::Int64),
                            b.scalarInt(bins - 1)); // the last has its upper border too
    call.give(
        cast(b, countedAt(b, bin, cast(b, inside, types::Int64), bins), b.failed() ? types::Float32 : b.dtype(x)));
}

constexpr auto searchRows = std::to_array<Row>({
    {"aten::nonzero(Tensor self) -> Tensor", convertNonZero, Other},
    {"aten::argwhere(Tensor self) -> Tensor", convertNonZero, Other},
    {"aten::nonzero_numpy(Tensor self) -> Tensor[]", convertNonZeroColumns, Other},
    {"aten::where(Tensor condition) -> Tensor[]", convertNonZeroColumns, Other},
    {"aten::nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor", convertNonZeroStatic, Other},
    {"aten::one_hot(Tensor self, SymInt num_classes=-1) -> Tensor", convertOneHot, Other},
    {"aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
     convertBucketize, Other},
    {"aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
     convertBucketize, Other},
    {"aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? "
     "side=None, Tensor? sorter=None) -> Tensor",
     convertSearchSorted, Other},
    {"aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? "
     "side=None, Tensor? sorter=None) -> Tensor",
     convertSearchSorted, Other},
    {"aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) "
     "-> Tensor",
     convertIsIn, Logic},
    {"aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) "
     "-> Tensor",
     convertIsIn, Logic},
    {"aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) "
     "-> Tensor",
     convertIsIn, Logic},
    {"aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, "
     "Tensor, Tensor)",
     convertUnique, Other},
    {"aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> "
     "(Tensor, Tensor, Tensor)",
     convertUniqueDim, Other},
    {"aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> "
     "(Tensor, Tensor, Tensor)",
     convertUniqueConsecutive, Other},
    {"aten::bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor", convertBinCount, Other},
    {"aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", convertHistogram, Other},
});

} // namespace

std::span<const Row> rowsOfSearch() {
    return searchRows;
}

} // namespace lathe::frontend::torch
