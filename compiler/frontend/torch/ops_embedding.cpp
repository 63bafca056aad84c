// SPDX-License-Identifier: Apache-2.0
//
// Rows of a table by their numbers, one by one or joined in bags.
#include "frontend/common/scatter.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

void convertEmbedding(Call& call, Builder& b) {
    const Var weight = call.tensor("weight"), indices = call.tensor("indices");
    if (call.failed())
        return;
    if (b.rank(weight) != 2)
        return call.fail(fmt::format("a table of rows with {} dims", b.rank(weight)));
    call.give(gather(b, weight, indices, 0));
}

enum class BagMode : uint8_t { Sum, Mean, Max };

/// The rows of all bags and the bag that each goes to: a bag begins at its offset.
struct Bags {
    Var indices, rows, bag; // [n], [n, d], [n]
    Expr count;
    BagMode mode = BagMode::Sum;
    bool isPadded = false; // some rows go to one more bag, which is left out

    Bags(Call& call, Builder& b) : indices(call.tensor("indices")) {
        const Var weight = call.tensor("weight");
        Var offsets = call.tensor("offsets");
        const Var factors = call.optionalTensor("per_sample_weights");
        const int64_t kind = call.integer("mode");
        if (call.failed())
            return;
        if (b.rank(weight) != 2 || b.rank(indices) != 1 || b.rank(offsets) != 1 || kind < 0 || kind > 2) {
            call.fail("bags take a table of rows, a list of rows and a list of offsets");
            return;
        }
        mode = static_cast<BagMode>(kind);
        count = dim(b, offsets, 0);
        if (call.flag("include_last_offset")) {
            count = arith::simplify(arith::max(count - 1, 0));
            offsets = sliceAxis(b, offsets, 0, 0, count);
        }
        rows = gather(b, weight, indices, 0);
        if (factors)
            rows = mul(b, rows, unsqueeze(b, cast(b, factors, b.dtype(rows)), {1}));
        const Var place = iota(b, {dim(b, indices, 0), 1}, 0, types::Int64);
        const Var begun = b.call(Op::GreaterEqual, {place, cast(b, offsets, types::Int64)});
        bag = addTo(b, reduce(b, "sum", cast(b, begun, types::Int64), {1}, false), -1);
        const std::optional<int64_t> padding =
            call.isNone("padding_idx") ? std::nullopt : call.optionalInteger("padding_idx");
        if (!padding || (*padding < 0 && call.op != "aten.embedding_bag.padding_idx"))
            return;
        isPadded = true;
        const Expr number = *padding < 0 ? dim(b, weight, 0) + *padding : Expr(*padding);
        const Var isLeftOut = equal(b, cast(b, indices, types::Int64), b.scalarOf(arith::simplify(number)));
        bag = where(b, isLeftOut, b.scalarOf(count), bag);
    }

    /// Updates [n, …] joined in the bags they go to, from `start`, [bags, …].
    Var joined(Builder& b, Var start, Var updates, const char* how) const {
        Dims shape = b.failed() ? Dims{} : b.shape(updates);
        if (b.failed())
            return {};
        shape[0] = arith::simplify(count + (isPadded ? 1 : 0));
        const Var all = scatter(b, Op::ScatterNd, full(b, start, shape), unsqueeze(b, bag, {1}), updates, how);
        return isPadded ? sliceAxis(b, all, 0, 0, count) : all;
    }
};

/// The row of the table that the largest element of each bag came from; 0 of an empty bag.
Var largestFrom(Builder& b, const Bags& bags, Var result) {
    const Expr n = dim(b, bags.rows, 0);
    const Var none = b.scalarOf(n), safe = minimum(b, bags.bag, b.scalarOf(arith::simplify(bags.count - 1)));
    const Var isLargest = equal(b, bags.rows, gather(b, result, safe, 0));
    const Var place = where(b, isLargest, iota(b, {n, 1}, 0, types::Int64), none);
    const Var first = bags.joined(b, none, place, "min");
    return gather(b, pad(b, bags.indices, "constant", {0}, {1}), first, 0);
}

void convertEmbeddingBag(Call& call, Builder& b) {
    const Bags bags(call, b);
    if (call.failed())
        return;
    const DataType dtype = b.dtype(bags.rows);
    const Var ones = full(b, b.scalarInt(1), {dim(b, bags.rows, 0)});
    const Var sizes = bags.joined(b, b.scalarInt(0), ones, "add");
    const Var isEmpty = unsqueeze(b, equal(b, sizes, b.scalarInt(0)), {1});
    if (bags.mode == BagMode::Max) {
        const Var largest = bags.joined(b, b.scalar(-std::numeric_limits<double>::infinity(), dtype), bags.rows, "max");
        const Var result = where(b, isEmpty, b.scalar(0, dtype), largest);
        return call.give({result, bags.bag, sizes, largestFrom(b, bags, result)});
    }
    Var result = bags.joined(b, b.scalar(0, dtype), bags.rows, "add");
    if (bags.mode == BagMode::Mean)
        result = div(b, result, cast(b, unsqueeze(b, maximum(b, sizes, b.scalarInt(1)), {1}), dtype));
    // Of sums PyTorch does not say which bag an index went to.
    call.give({result, bags.mode == BagMode::Sum ? full(b, b.scalarInt(0), {0}) : bags.bag, sizes, sizes});
}

constexpr auto embeddingRows = std::to_array<Row>({
    {"aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool "
     "sparse=False) -> Tensor",
     convertEmbedding, Movement},
    {"aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int "
     "mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, "
     "Tensor, Tensor)",
     convertEmbeddingBag, Reduction},
    {"aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
     "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> "
     "(Tensor, Tensor, Tensor, Tensor)",
     convertEmbeddingBag, Reduction},
    {"aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, "
     "int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int "
     "padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
     convertEmbeddingBag, Reduction},
});

} // namespace

std::span<const Row> rowsOfEmbedding() {
    return embeddingRows;
}

} // namespace lathe::frontend::torch
