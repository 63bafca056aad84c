// SPDX-License-Identifier: Apache-2.0
//
// Operators that cut a tensor into parts along a dim.
#include "frontend/common/slice.h"
#include "frontend/common/split.h"
#include "frontend/torch/moved.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

constexpr int64_t mostParts = limits::sequenceParts;

/// Gives the parts of these sizes, one behind the other, that begin at the dim's start.
void giveParts(Moved& m, Builder& b, int64_t axis, const Dims& sizes) {
    if (b.failed())
        return;
    const Dims begins = beginsOf(sizes);
    std::vector<Var> parts;
    for (size_t i = 0; i < sizes.size(); ++i)
        parts.push_back(sliceAxis(b, m.x, axis, begins[i], sizes[i]));
    m.give(std::move(parts));
}

/// The axis that is split; a fault if there is none.
int64_t splitAxis(Call& call, Moved& m, int64_t value) {
    if (!call.failed() && m.rank == 0)
        call.fail("a tensor without dims cannot be split");
    return m.axis(value);
}

/// Nothing, and a fault, if there are too many parts or none can be counted.
bool isCount(Call& call, int64_t parts) {
    if (!call.failed() && (parts < 1 || parts > mostParts))
        call.fail(fmt::format("a split into {} parts", parts));
    return !call.failed();
}

void convertSplitBySize(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = splitAxis(call, m, call.integer("dim"));
    const Expr size = dim(b, m.x, axis), each = call.size("split_size");
    if (call.failed())
        return;
    if (arith::isConst(each, 0) && arith::isConst(size, 0))
        return giveParts(m, b, axis, {0});
    if (arith::bounds(each).lower < 1)
        return call.fail(fmt::format("parts of a split have {} elements", arith::sizeText(each)));
    const auto count = arith::asInt(arith::simplify(arith::floorDiv(size + each - 1, each)));
    if (!count)
        return call.refuse("how many parts the split gives depends on a size that is not known",
                           "fix the sizes of the inputs: --shape NAME=SIZES");
    if (!isCount(call, std::max<int64_t>(*count, 1)))
        return;
    Dims sizes(static_cast<size_t>(std::max<int64_t>(*count, 1)), each);
    sizes.back() = arith::simplify(size - each * (static_cast<int64_t>(sizes.size()) - 1));
    giveParts(m, b, axis, sizes);
}

void convertSplitBySizes(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = splitAxis(call, m, call.integer("dim"));
    const Dims sizes = call.sizes(call.schema.find("split_sizes") ? "split_sizes" : "split_size");
    if (call.failed())
        return;
    m.x = coveredBy(b, m.x, axis, sizes);
    giveParts(m, b, axis, sizes);
}

/// Chunks are as large as they must be so that there are no more than asked for; there may be fewer.
void convertChunk(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = splitAxis(call, m, call.integer("dim")), wanted = call.integer("chunks");
    if (!isCount(call, wanted))
        return;
    const Expr size = dim(b, m.x, axis);
    if (arith::isConst(size, 0))
        return giveParts(m, b, axis, Dims(static_cast<size_t>(wanted), Expr(0)));
    const Expr each = arith::simplify(arith::ceilDiv(size, wanted));
    int64_t count = wanted;
    if (const auto known = arith::asInt(size))
        count = (*known + *arith::asInt(each) - 1) / *arith::asInt(each);
    else
        m.x = assume(b, m.x, arith::gt(size, each * (wanted - 1)),
                     fmt::format("a dim of {} gives {} chunks", arith::sizeText(size), wanted));
    Dims sizes(static_cast<size_t>(count), each);
    sizes.back() = arith::simplify(size - each * (count - 1));
    giveParts(m, b, axis, sizes);
}

/// The first parts are larger by one where the size does not divide.
void giveSections(Call& call, Builder& b, Moved& m, int64_t axis, int64_t sections) {
    if (!isCount(call, sections))
        return;
    Dims sizes;
    for (int64_t i = 0; i < sections; ++i)
        sizes.push_back(arith::simplify(arith::floorDiv(dim(b, m.x, axis) + (sections - 1 - i), sections)));
    giveParts(m, b, axis, sizes);
}

/// Parts from each of these places to the next; places beyond the dim are its border, negative ones count from the end.
void giveBetween(Call& call, Builder& b, Moved& m, int64_t axis, Dims places) {
    if (!isCount(call, static_cast<int64_t>(places.size()) + 1))
        return;
    places.insert(places.begin(), Expr(0));
    places.push_back(dim(b, m.x, axis));
    std::vector<Var> parts;
    for (size_t i = 0; i + 1 < places.size() && !call.failed(); ++i) {
        relay::SliceAttrs attrs = wholeOf(b, m.x);
        sliceDim(attrs, static_cast<size_t>(axis), places[i], places[i + 1], 1);
        parts.push_back(b.call(Op::Slice, {m.x}, attrs));
    }
    m.give(std::move(parts));
}

void convertTensorSplitSections(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = splitAxis(call, m, call.integer("dim"));
    giveSections(call, b, m, axis, call.integer("sections"));
}

void convertTensorSplitIndices(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = splitAxis(call, m, call.integer("dim"));
    giveBetween(call, b, m, axis, call.sizes("indices"));
}

void convertTensorSplitByTensor(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = splitAxis(call, m, call.integer("dim"));
    const Var by = call.tensor("tensor_indices_or_sections");
    if (call.failed())
        return;
    const Dims values = b.symbolic(by, "split");
    if (call.failed())
        return;
    if (b.rank(by) > 0)
        return giveBetween(call, b, m, axis, values);
    const auto sections = arith::asInt(values.at(0));
    if (!sections)
        return call.refuse("into how many parts the tensor is split is not known before the call");
    giveSections(call, b, m, axis, *sections);
}

/// Along dim `From`, or along dim 0 of a vector where that is 1.
template <int64_t From>
int64_t namedSplitAxis(Call& call, const Moved& m) {
    const bool isVector = From == 1 && m.rank == 1;
    if (!call.failed() && m.rank < (From == 0 ? 2 : isVector ? 1 : From + 1))
        call.fail(fmt::format("a tensor with {} dims cannot be split so", m.rank));
    return isVector ? 0 : From;
}

template <int64_t From>
void convertNamedSplit(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = namedSplitAxis<From>(call, m), sections = call.integer("sections");
    if (!isCount(call, sections))
        return;
    m.x = dividedBy(b, m.x, axis, sections);
    giveSections(call, b, m, axis, sections);
}

template <int64_t From>
void convertNamedSplitIndices(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = namedSplitAxis<From>(call, m);
    giveBetween(call, b, m, axis, toDims(call.integers("indices")));
}

void convertUnbind(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = splitAxis(call, m, call.integer("dim"));
    const auto count = arith::asInt(dim(b, m.x, axis));
    if (call.failed())
        return;
    if (!count)
        return call.refuse("how many parts the tensor falls into depends on a size that is not known",
                           "fix the sizes of the inputs: --shape NAME=SIZES");
    if (*count > mostParts)
        return call.refuse(fmt::format("a tensor falls into {} parts", *count));
    std::vector<Var> parts;
    for (int64_t i = 0; i < *count; ++i)
        parts.push_back(squeeze(b, sliceAxis(b, m.x, axis, i, 1), {axis}));
    m.give(std::move(parts));
}

constexpr auto splitRows = std::to_array<Row>({
    {"aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]", convertSplitBySize,
     Movement},
    {"aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", convertSplitBySize, Movement},
    {"aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", convertSplitBySize, Movement},
    {"aten::split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]", convertSplitBySizes,
     Movement},
    {"aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]", convertSplitBySizes,
     Movement},
    {"aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", convertSplitBySizes,
     Movement},
    {"aten::unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", convertSplitBySizes,
     Movement},
    {"aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]", convertChunk, Movement},
    {"aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]", convertChunk, Movement},
    {"aten::tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]",
     convertTensorSplitSections, Movement},
    {"aten::tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]",
     convertTensorSplitIndices, Movement},
    {"aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int "
     "dim=0) -> Tensor(a)[]",
     convertTensorSplitByTensor, Movement},
    {"aten::hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", convertNamedSplit<1>, Movement},
    {"aten::hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", convertNamedSplitIndices<1>, Movement},
    {"aten::vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", convertNamedSplit<0>, Movement},
    {"aten::vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", convertNamedSplitIndices<0>, Movement},
    {"aten::dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", convertNamedSplit<2>, Movement},
    {"aten::dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", convertNamedSplitIndices<2>, Movement},
    {"aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", convertUnbind, Movement},
    {"aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]", convertUnbind, Movement},
});

} // namespace

std::span<const Row> rowsOfSplit() {
    return splitRows;
}

} // namespace lathe::frontend::torch
