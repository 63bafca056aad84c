// SPDX-License-Identifier: Apache-2.0
//
// Operators that join tensors along a dim, an old one or a new one.
#include "frontend/torch/ops.h"
#include "frontend/torch/promotion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// Parts in their common type; a fault if there are none.
std::vector<Var> commonParts(Call& call, const std::vector<Var>& parts) {
    if (parts.empty())
        call.fail("there are no tensors to join");
    if (call.failed())
        return {};
    return promoted(call, {parts.begin(), parts.end()});
}

Var joined(Call& call, Builder& b, const std::vector<Var>& parts, int64_t axis) {
    const std::vector<Var> common = commonParts(call, parts);
    if (call.failed())
        return {};
    return common.size() == 1 ? common[0] : concat(b, common, axis);
}

/// Whether a tensor is the empty vector that PyTorch joins to anything.
bool isNothing(Builder& b, Var x) {
    return b.rank(x) == 1 && arith::isConst(dim(b, x, 0), 0);
}

void convertCat(Call& call, Builder& b) {
    std::vector<Var> parts = commonParts(call, call.tensors("tensors"));
    if (call.failed())
        return;
    if (std::ranges::any_of(parts, [&](Var x) { return b.rank(x) != 1; }))
        std::erase_if(parts, [&](Var x) { return isNothing(b, x); });
    const int64_t rank = b.rank(parts[0]);
    if (rank == 0)
        return call.fail("tensors without dims cannot be joined along one");
    call.give(joined(call, b, parts, call.axis(call.integer("dim"), rank)));
}

void convertStack(Call& call, Builder& b) {
    std::vector<Var> parts = call.tensors("tensors");
    if (parts.empty() || call.failed())
        return call.fail("there are no tensors to stack");
    const int64_t axis = call.axis(call.integer("dim"), b.rank(parts[0]) + 1);
    for (Var& part : parts)
        part = unsqueeze(b, part, {axis});
    call.give(joined(call, b, parts, axis));
}

/// As matrices with a row each where they are vectors, or a column each.
enum class VectorAs { Row, Column };
Var asMatrix(Builder& b, Var x, VectorAs form) {
    if (b.failed() || b.rank(x) >= 2)
        return x;
    if (b.rank(x) == 0)
        return reshape(b, x, {1, 1});
    return unsqueeze(b, x, {form == VectorAs::Row ? 0 : 1});
}

void convertHstack(Call& call, Builder& b) {
    std::vector<Var> parts = call.tensors("tensors");
    if (call.failed())
        return;
    for (Var& part : parts)
        part = b.rank(part) == 0 ? reshape(b, part, {1}) : part;
    call.give(joined(call, b, parts, !parts.empty() && b.rank(parts[0]) == 1 ? 0 : 1));
}

void convertVstack(Call& call, Builder& b) {
    std::vector<Var> parts = call.tensors("tensors");
    for (Var& part : parts)
        part = asMatrix(b, part, VectorAs::Row);
    call.give(joined(call, b, parts, 0));
}

void convertColumnStack(Call& call, Builder& b) {
    std::vector<Var> parts = call.tensors("tensors");
    for (Var& part : parts)
        part = asMatrix(b, part, VectorAs::Column);
    call.give(joined(call, b, parts, 1));
}

void convertDstack(Call& call, Builder& b) {
    std::vector<Var> parts = call.tensors("tensors");
    for (Var& part : parts) {
        part = asMatrix(b, part, VectorAs::Row);
        part = !b.failed() && b.rank(part) == 2 ? unsqueeze(b, part, {2}) : part;
    }
    call.give(joined(call, b, parts, 2));
}

void convertBlockDiag(Call& call, Builder& b) {
    std::vector<Var> parts = commonParts(call, call.tensors("tensors"));
    Expr rows = 0, columns = 0;
    for (Var& part : parts) {
        part = asMatrix(b, part, VectorAs::Row);
        if (!call.failed() && b.rank(part) != 2)
            return call.fail(fmt::format("a tensor with {} dims is no block of a matrix", b.rank(part)));
        columns = columns + dim(b, part, 1);
    }
    columns = arith::simplify(columns);
    Expr before = 0;
    std::vector<Var> bands;
    for (const Var& part : parts) {
        const Expr own = dim(b, part, 1);
        bands.push_back(pad(b, part, "constant", {0, before}, {0, arith::simplify(columns - before - own)}));
        before = arith::simplify(before + own);
    }
    call.give(joined(call, b, bands, 0));
}

/// Each tensor's chunks along a dim as rows, padded with zeros, and the rows of all side by side.
void convertChunkCat(Call& call, Builder& b) {
    const std::vector<Var> parts = commonParts(call, call.tensors("tensors"));
    const int64_t chunks = call.integer("num_chunks");
    if (call.failed())
        return;
    if (chunks < 1)
        return call.fail(fmt::format("num_chunks is {}", chunks));
    const int64_t axis = call.axis(call.integer("dim"), b.rank(parts[0]));
    std::vector<Var> rows;
    for (const Var& part : parts) {
        if (call.failed())
            return;
        const Dims shape = b.shape(part);
        const auto at = static_cast<size_t>(axis);
        if (at >= shape.size())
            return call.fail("the tensors differ in rank");
        const Expr each = arith::simplify(arith::ceilDiv(shape[at], chunks));
        Dims before(shape.size(), Expr(0)), after = before;
        after[at] = arith::simplify(each * chunks - shape[at]);
        Dims split(shape.begin(), shape.begin() + axis);
        const Dims behind(shape.begin() + axis + 1, shape.end());
        split.push_back(chunks);
        split.push_back(arith::simplify(each * product(behind)));
        rows.push_back(reshape(b, pad(b, part, "constant", before, after), split));
    }
    call.give(joined(call, b, rows, axis + 1));
}

constexpr auto joinRows = std::to_array<Row>({
    {"aten::cat(Tensor[] tensors, int dim=0) -> Tensor", convertCat, Movement},
    {"aten::concat(Tensor[] tensors, int dim=0) -> Tensor", convertCat, Movement},
    {"aten::concatenate(Tensor[] tensors, int dim=0) -> Tensor", convertCat, Movement},
    {"aten::stack(Tensor[] tensors, int dim=0) -> Tensor", convertStack, Movement},
    {"aten::hstack(Tensor[] tensors) -> Tensor", convertHstack, Movement},
    {"aten::vstack(Tensor[] tensors) -> Tensor", convertVstack, Movement},
    {"aten::row_stack(Tensor[] tensors) -> Tensor", convertVstack, Movement},
    {"aten::dstack(Tensor[] tensors) -> Tensor", convertDstack, Movement},
    {"aten::column_stack(Tensor[] tensors) -> Tensor", convertColumnStack, Movement},
    {"aten::block_diag(Tensor[] tensors) -> Tensor", convertBlockDiag, Movement},
    {"aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor", convertChunkCat, Movement},
});

} // namespace

std::span<const Row> rowsOfJoin() {
    return joinRows;
}

} // namespace lathe::frontend::torch
