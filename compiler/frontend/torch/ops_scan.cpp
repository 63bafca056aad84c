// SPDX-License-Identifier: Apache-2.0
//
// Running extremes with their places, running logarithms of sums, and hashes, which are running exclusive ors.
#include "frontend/common/arithmetic.h"
#include "frontend/common/scan.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/reduced.h"

#include "relay/attrs.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

/// The extreme so far along a dim, and its last place; a NaN stays.
template <bool max>
std::vector<Var> runningExtreme(Builder& b, Var given, int64_t axis) {
    if (b.failed())
        return {};
    const Var x = isBool(b, given) ? cast(b, given, types::UInt8) : given;
    const Var places = iota(b, b.shape(x), axis, types::Int64);
    std::vector<Var> both =
        scanned(b, {x, places}, axis, [&](const std::vector<Var>& before, const std::vector<Var>& own) {
            Var isNew = b.call(max ? Op::GreaterEqual : Op::LessEqual, {own[0], before[0]});
            if (isFloat(b, x)) {
                const Var isOpen = b.call(Op::LogicalNot, {b.call(Op::IsNan, {before[0]})});
                isNew = b.call(Op::LogicalOr, {b.call(Op::IsNan, {own[0]}), b.call(Op::LogicalAnd, {isOpen, isNew})});
            }
            return std::vector{where(b, isNew, own[0], before[0]), where(b, isNew, own[1], before[1])};
        });
    if (!b.failed())
        both[0] = cast(b, both[0], b.dtype(given));
    return both;
}
template <bool max>
void convertRunningExtreme(Call& call, Builder& b) {
    call.give(alongDim(call, call.tensor("self"), call.integer("dim"),
                       [&](Var x, int64_t axis) { return runningExtreme<max>(b, x, axis); }));
}

void convertLogcumsumexp(Call& call, Builder& b) {
    const int64_t dim = call.integer("dim");
    call.give(inSingle(b, promotedToFloat(call, call.tensor("self")), [&](Var v) {
        const std::vector<Var> all = alongDim(call, v, dim, [&](Var x, int64_t axis) {
            return scanned(b, {x}, axis, [&](const std::vector<Var>& before, const std::vector<Var>& own) {
                return std::vector{logOfSum(b, before[0], own[0])};
            });
        });
        return all.empty() ? Var{} : all[0];
    }));
}

/// The exclusive or of the bits of all elements over dims, as float64 or int64 has them.
void convertHash(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const bool keepDims = call.flag("keepdim");
    if (call.integer("mode") != 0)
        call.refuse("only exclusive ors are supported as hashes of tensors");
    if (call.failed())
        return;
    const Ints axes = call.axes("dim", b.rank(x));
    CastAttrs bits;
    bits.dtype = types::Int64;
    const Var words =
        isFloat(b, x) ? b.call(Op::BitCast, {cast(b, x, types::Float64)}, bits) : cast(b, x, types::Int64);
    Ints order;
    Dims kept, whole = b.shape(x);
    for (int64_t i = 0; i < b.rank(x); ++i) {
        if (std::ranges::find(axes, i) != axes.end())
            continue;
        order.push_back(i);
        kept.push_back(dim(b, x, i));
    }
    const auto last = static_cast<int64_t>(order.size());
    order.insert(order.end(), axes.begin(), axes.end());
    Dims rows = kept, none(static_cast<size_t>(last) + 1, Expr(0)), one = none;
    const Expr count = countOf(b, x, axes);
    rows.push_back(count);
    one.back() = 1;
    // A zero in front changes nothing, and is the hash of no elements.
    const Var all = pad(b, reshape(b, transpose(b, words, order), rows), "constant", one, none);
    const Var running = scanned(b, {all}, last, [&](const std::vector<Var>& before, const std::vector<Var>& own) {
        return std::vector{b.call(Op::BitwiseXor, {before[0], own[0]})};
    })[0];
    for (const int64_t axis : axes)
        whole[static_cast<size_t>(axis)] = 1;
    const Var hash = reshape(b, sliceAxis(b, running, last, count, 1), keepDims ? whole : kept);
    call.give(cast(b, hash, types::UInt64));
}

constexpr auto scanRows = std::to_array<Row>({
    {"aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)", convertRunningExtreme<true>, Reduction},
    {"aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)", convertRunningExtreme<false>, Reduction},
    {"aten::logcumsumexp(Tensor self, int dim) -> Tensor", convertLogcumsumexp, Reduction},
    {"aten::hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor", convertHash,
     Reduction},
});

} // namespace

std::span<const Row> rowsOfScans() {
    return scanRows;
}

} // namespace lathe::frontend::torch
