// SPDX-License-Identifier: Apache-2.0
//
// Distances and angles between vectors, products of them across, differences of neighbours and areas below them.
#include "frontend/common/broadcast.h"
#include "frontend/torch/norms.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/promotion.h"

#include <fmt/format.h>

#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// The distance of x from y along the last dim, which they share or which has one element. The difference is rounded to
/// their type, as PyTorch does.
Var distance(Builder& b, Var x, Var y, double p, double epsilon, bool keepDims) {
    const Var difference = addTo(b, sub(b, x, y), epsilon);
    return inSingle(b, difference, [&](Var v) { return normOf(b, v, p, {b.failed() ? 0 : b.rank(v) - 1}, keepDims); });
}

bool isExponent(Call& call, double p) {
    if (!call.failed() && !(p >= 0))
        call.fail(fmt::format("the exponent of a distance is {}", p));
    return !call.failed();
}

void convertCdist(Call& call, Builder& b) {
    const double p = call.real("p");
    const Var x = call.tensor("x1"), y = call.tensor("x2");
    if (!isExponent(call, p))
        return;
    if (b.rank(x) < 2 || b.rank(y) < 2)
        return call.fail("distances are taken between the rows of matrices");
    const Expr size = dim(b, x, -1);
    if (arith::isConst(size, 0)) { // of vectors without elements
        Dims shape = b.shape(x);
        shape.back() = dim(b, y, -2);
        return call.give(full(b, scalarLike(b, 0, x), shape));
    }
    call.give(distance(b, unsqueeze(b, x, {b.rank(x) - 1}), unsqueeze(b, y, {b.rank(y) - 2}), p, 0, false));
}

/// Of each row and those behind it.
void convertPdist(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const double p = call.real("p");
    if (!isExponent(call, p))
        return;
    const auto rows = b.rank(x) == 2 ? arith::asInt(dim(b, x, 0)) : std::nullopt;
    if (!rows || *rows > 1 << 14)
        return call.refuse("distances of all rows need a matrix whose number of rows is known");
    // Places of pairs, by rows, where the column is behind the row.
    const Dims square = {*rows, *rows};
    const Var row = iota(b, square, 0, types::Int64), column = iota(b, square, 1, types::Int64);
    const Expr cells = *rows * *rows, pairs = *rows * (*rows - 1) / 2;
    relay::AxisAttrs all;
    all.axis = -1;
    const Var isPair = reshape(b, less(b, row, column), {cells});
    const auto picked = [&](Var place) {
        return gather(b, x, withDims(b, b.call(Op::Compress, {reshape(b, place, {cells}), isPair}, all), {pairs}), 0);
    };
    call.give(distance(b, picked(row), picked(column), p, 0, false));
}

void convertPairwiseDistance(Call& call, Builder& b) {
    const std::vector<Var> both = promoted(call, {call.tensor("x1"), call.tensor("x2")}, Integers::BecomeFloat);
    const double p = call.real("p");
    if (!isExponent(call, p))
        return;
    if (b.rank(both[0]) == 0 && b.rank(both[1]) == 0)
        return call.fail("a distance is taken between vectors");
    call.give(distance(b, both[0], both[1], p, call.real("eps"), call.flag("keepdim")));
}

/// Each vector by its length first, which is not less than eps; each step is rounded to the type, as PyTorch does.
void convertCosineSimilarity(Call& call, Builder& b) {
    std::vector<Var> both =
        broadcastTogether(b, promoted(call, {call.tensor("x1"), call.tensor("x2")}, Integers::BecomeFloat));
    const double epsilon = call.real("eps");
    if (call.failed())
        return;
    const int64_t axis = call.axis(call.integer("dim"), b.rank(both[0]));
    for (Var& x : both) {
        if (call.failed())
            return;
        x = b.rank(x) == 0 ? reshape(b, x, {1}) : x;
        const Var length = inSingle(b, x, [&](Var v) { return normOf(b, v, 2, {axis}, true); });
        x = div(b, x, maximum(b, length, scalarLike(b, epsilon, x)));
    }
    call.give(reduce(b, "sum", mul(b, both[0], both[1]), {axis}, false));
}

// ---- across

/// x along an axis of three elements, which begin at `first`.
Var turned(Builder& b, Var x, int64_t axis, int64_t first) {
    return concat(b, {sliceAxis(b, x, axis, first, 3 - first), sliceAxis(b, x, axis, 0, first)}, axis);
}

void giveCross(Call& call, Builder& b, std::optional<int64_t> along) {
    std::vector<Var> both = broadcastTogether(b, promoted(call, {call.tensor("self"), call.tensor("other")}));
    if (call.failed())
        return;
    const Dims shape = b.shape(both[0]);
    if (!along)
        for (size_t i = 0; i < shape.size() && !along; ++i)
            if (arith::isConst(shape[i], 3))
                along = static_cast<int64_t>(i);
    if (!along || shape.empty())
        return call.fail(fmt::format("{} has no dim of three elements", text(shape)));
    const int64_t axis = call.axis(*along, static_cast<int64_t>(shape.size()));
    if (call.failed())
        return;
    Dims three = shape;
    three[static_cast<size_t>(axis)] = 3;
    const Var x = withDims(b, both[0], three), y = withDims(b, both[1], three);
    if (call.failed())
        return;
    call.give(sub(b, mul(b, turned(b, x, axis, 1), turned(b, y, axis, 2)),
                  mul(b, turned(b, x, axis, 2), turned(b, y, axis, 1))));
}

void convertCross(Call& call, Builder& b) {
    giveCross(call, b, call.optionalInteger("dim"));
}

void convertLinalgCross(Call& call, Builder& b) {
    giveCross(call, b, call.integer("dim"));
}

// ---- neighbours

/// All but the first, and all but the last, along an axis.
struct Neighbours {
    Var right, left;

    Neighbours(Builder& b, Var x, int64_t axis) {
        const Expr size = dim(b, x, axis), count = arith::simplify(arith::max(size - 1, 0));
        right = sliceAxis(b, x, axis, arith::simplify(arith::min(size, 1)), count);
        left = sliceAxis(b, x, axis, 0, count);
    }
};

void convertDiff(Call& call, Builder& b) {
    Var x = call.tensor("self");
    const int64_t times = call.integer("n");
    const Var before = call.optionalTensor("prepend"), behind = call.optionalTensor("append");
    if (call.failed())
        return;
    if (b.rank(x) == 0 || times < 0)
        return call.fail("differences are taken along a dim, once or more");
    const int64_t axis = call.axis(call.integer("dim"), b.rank(x));
    std::vector<Operand> parts;
    for (const Var& part : {before, x, behind})
        if (part)
            parts.emplace_back(part);
    if (call.failed())
        return;
    x = parts.size() == 1 ? x : concat(b, promoted(call, parts), axis);
    constexpr int64_t most = 1000;
    if (times > most)
        return call.refuse(fmt::format("differences are taken {} times", times));
    for (int64_t i = 0; i < times && !call.failed(); ++i) {
        const Neighbours pair(b, x, axis);
        x = b.call(b.dtype(x).isBool() ? Op::LogicalXor : Op::Subtract, {pair.right, pair.left});
    }
    call.give(x);
}

/// The areas between neighbours of y, twice as large: x says how far they stand apart, or they are `dx` apart.
Var doubledAreas(Call& call, Builder& b, Var y, int64_t axis) {
    const Neighbours heights(b, y, axis);
    const Var sum = add(b, heights.right, heights.left);
    if (!call.schema.find("x")) {
        const std::vector<Var> both = promoted(call, {sum, call.scalar("dx")}, Integers::BecomeFloat);
        return call.failed() ? Var{} : mul(b, both[0], both[1]);
    }
    Var x = call.tensor("x");
    if (call.failed())
        return {};
    if (b.rank(x) == 0) {
        call.fail("places of values have a dim");
        return {};
    }
    if (b.rank(x) == 1 && b.rank(y) > 1)
        x = alongAxis(b, x, axis, b.rank(y));
    const int64_t along = b.rank(x) - b.rank(y) + axis;
    if (along < 0 || along >= b.rank(x)) {
        call.fail("places of values have no such dim");
        return {};
    }
    const Neighbours places(b, x, along);
    const std::vector<Var> both = promoted(call, {sum, sub(b, places.right, places.left)});
    return call.failed() ? Var{} : mul(b, both[0], both[1]);
}

Var halved(Call& call, Builder& b, Var x) {
    return mulBy(b, promotedToFloat(call, x), 0.5);
}

template <bool Cumulative>
void convertTrapezoid(Call& call, Builder& b) {
    const Var y = call.tensor("y");
    if (call.failed())
        return;
    if (b.rank(y) == 0)
        return call.fail("an area is taken along a dim");
    const int64_t axis = call.axis(call.integer("dim"), b.rank(y));
    const Var areas = doubledAreas(call, b, y, axis);
    if (call.failed())
        return;
    const int64_t along = b.rank(areas) - b.rank(y) + axis;
    relay::CumAttrs attrs;
    attrs.axis = along;
    call.give(
        halved(call, b, Cumulative ? b.call(Op::CumSum, {areas}, attrs) : reduce(b, "sum", areas, {along}, false)));
}

constexpr auto distanceRows = std::to_array<Row>({
    {"aten::cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor", convertCdist, Product},
    {"aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor", convertCdist, Product},
    {"aten::pdist(Tensor self, float p=2) -> Tensor", convertPdist, Product},
    {"aten::_pdist_forward(Tensor self, float p=2) -> Tensor", convertPdist, Product},
    {"aten::pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor",
     convertPairwiseDistance, Reduction},
    {"aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", convertCosineSimilarity,
     Reduction},
    {"aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor", convertCross, Arithmetic},
    {"aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor", convertLinalgCross, Arithmetic},
    {"aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor", convertDiff,
     Arithmetic},
    {"aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", convertTrapezoid<false>, Reduction},
    {"aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", convertTrapezoid<false>, Reduction},
    {"aten::trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", convertTrapezoid<false>, Reduction},
    {"aten::trapz.dx(Tensor y, *, float dx=1, int dim=-1) -> Tensor", convertTrapezoid<false>, Reduction},
    {"aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", convertTrapezoid<true>, Reduction},
    {"aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", convertTrapezoid<true>,
     Reduction},
});

} // namespace

std::span<const Row> rowsOfDistance() {
    return distanceRows;
}

} // namespace lathe::frontend::torch
