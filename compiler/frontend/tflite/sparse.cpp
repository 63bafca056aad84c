// SPDX-License-Identifier: Apache-2.0
//
// Every level is checked, and the elements below it counted, before the walk down the tree, which then cannot leave the
// tensor nor visit more elements than are stored. The place of an element is a sum: each level adds its index times a
// stride.
#include "frontend/tflite/sparse.h"

#include "base/limits.h"
#include "frontend/tflite/schema_generated.h"
#include "model/host_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace lathe::frontend::tflite {
namespace {

constexpr const char* damagedSparsity = "the file is damaged or was written wrongly; convert the model again";

Failure wrongSparsity(std::string what) {
    return failure("the sparse tensor " + std::move(what), damagedSparsity);
}

struct SparseLevel {
    bool dense = true;
    int64_t extent = 1;            // indices are less
    int64_t stride = 1;            // elements of the dense tensor from an index to the next
    std::vector<int64_t> segments; // of a sparse level: where the indices below each element of the level above begin
    std::vector<int64_t> indices;
};

template <class Vector>
std::vector<int64_t> widened(const Vector* vector) {
    if (!vector || !vector->values())
        return {};
    return {vector->values()->begin(), vector->values()->end()};
}

/// Nothing for a kind that the schema does not know: it has not been verified.
std::optional<std::vector<int64_t>> numbersOf(::tflite::SparseIndexVector kind, const void* vector) {
    switch (kind) {
    case ::tflite::SparseIndexVector_NONE:
        return std::vector<int64_t>();
    case ::tflite::SparseIndexVector_Int32Vector:
        return widened(static_cast<const ::tflite::Int32Vector*>(vector));
    case ::tflite::SparseIndexVector_Uint16Vector:
        return widened(static_cast<const ::tflite::Uint16Vector*>(vector));
    case ::tflite::SparseIndexVector_Uint8Vector:
        return widened(static_cast<const ::tflite::Uint8Vector*>(vector));
    }
    return std::nullopt;
}

/// Which dimension each level stands for: those of the tensor come first, in any order, then those of the blocks.
Result<std::vector<size_t>> readOrder(const ::tflite::SparsityParameters& sparsity, size_t rank, size_t blocks) {
    const auto* order = sparsity.traversal_order();
    const size_t levels = rank + blocks;
    if ((order ? order->size() : 0) != levels)
        return wrongSparsity(fmt::format("of {} dimensions and {} of blocks names an order of {}", rank, blocks,
                                         order ? order->size() : 0));
    std::vector<size_t> dims;
    std::vector<bool> seen(levels, false);
    for (size_t level = 0; level < levels; ++level) {
        const int64_t dim = order->Get(static_cast<flatbuffers::uoffset_t>(level));
        const size_t from = level < rank ? 0 : rank, to = level < rank ? rank : levels;
        if (dim < static_cast<int64_t>(from) || dim >= static_cast<int64_t>(to) || seen[static_cast<size_t>(dim)])
            return wrongSparsity(fmt::format("has dimension {} in its order at {}", dim, level));
        seen[static_cast<size_t>(dim)] = true;
        dims.push_back(static_cast<size_t>(dim));
    }
    return dims;
}

Result<SparseLevel> readLevel(const ::tflite::DimensionMetadata& proto, size_t at) {
    SparseLevel level;
    level.dense = proto.format() == ::tflite::DimensionType_DENSE;
    if (level.dense) {
        level.extent = proto.dense_size();
        return level;
    }
    if (proto.format() != ::tflite::DimensionType_SPARSE_CSR)
        return wrongSparsity(
            fmt::format("has level {} of the unknown format {}", at, static_cast<int>(proto.format())));
    auto segments = numbersOf(proto.array_segments_type(), proto.array_segments());
    auto indices = numbersOf(proto.array_indices_type(), proto.array_indices());
    if (!segments || !indices)
        return wrongSparsity(fmt::format("has indices of an unknown kind at level {}", at));
    level.segments = *std::move(segments);
    level.indices = *std::move(indices);
    return level;
}

/// Extents and strides of all levels from the tensor's shape and the sizes of the blocks.
Result<void> placeLevels(std::vector<SparseLevel>& levels, const std::vector<size_t>& order,
                         std::span<const int64_t> shape, const ::tflite::SparsityParameters& sparsity) {
    const size_t rank = shape.size();
    std::vector<int64_t> stride(rank, 1), left(shape.begin(), shape.end());
    for (size_t d = rank; d-- > 1;)
        stride[d - 1] = stride[d] * std::max<int64_t>(shape[d], 1);
    // The innermost blocks first: those further out step over them.
    for (size_t at = levels.size(); at-- > rank;) {
        const int64_t dim = sparsity.block_map()->Get(static_cast<flatbuffers::uoffset_t>(order[at] - rank));
        if (dim < 0 || dim >= static_cast<int64_t>(rank))
            return wrongSparsity(fmt::format("has blocks along dimension {} of {}", dim, rank));
        if (!levels[at].dense)
            return failure(ErrorKind::Unsupported, "a sparse tensor whose blocks are sparse is not supported",
                           "convert the model again with dense blocks");
        const int64_t size = levels[at].extent;
        const auto d = static_cast<size_t>(dim);
        if (size < 1 || left[d] % size != 0)
            return wrongSparsity(fmt::format("has blocks of {} along a dimension of {}", size, shape[d]));
        levels[at].stride = stride[d];
        stride[d] *= size;
        left[d] /= size;
    }
    for (size_t at = 0; at < rank; ++at) {
        const size_t d = order[at];
        if (levels[at].dense && levels[at].extent != left[d])
            return wrongSparsity(
                fmt::format("has {} indices at level {} where its shape asks for {}", levels[at].extent, at, left[d]));
        levels[at].extent = left[d];
        levels[at].stride = stride[d];
    }
    return {};
}

/// Checks the rows of a sparse level below `above` elements.
Result<void> checkRows(const SparseLevel& level, int64_t above, size_t at) {
    const std::vector<int64_t>& segments = level.segments;
    if (static_cast<int64_t>(segments.size()) != above + 1)
        return wrongSparsity(
            fmt::format("has {} bounds of rows at level {} where {} elements are above", segments.size(), at, above));
    if (segments.front() != 0 || segments.back() != static_cast<int64_t>(level.indices.size()) ||
        !std::ranges::is_sorted(segments))
        return wrongSparsity(fmt::format("has rows at level {} that do not share out its {} indices in order", at,
                                         level.indices.size()));
    for (const int64_t index : level.indices)
        if (index < 0 || index >= level.extent)
            return wrongSparsity(fmt::format("has index {} at level {} where {} is the most", index, at, level.extent));
    return {};
}

/// How many elements are stored, as the levels have it.
Result<int64_t> countStored(const std::vector<SparseLevel>& levels) {
    int64_t count = 1;
    for (size_t at = 0; at < levels.size(); ++at) {
        const SparseLevel& level = levels[at];
        if (!level.dense) {
            LATHE_CHECKED(checkRows(level, count, at));
            count = static_cast<int64_t>(level.indices.size());
        } else if (__builtin_mul_overflow(count, level.extent, &count) || count > limits::tensorElements) {
            return wrongSparsity(fmt::format("has more than {} elements above level {}", limits::tensorElements, at));
        }
    }
    return count;
}

/// Copies the stored elements, one after the other, to their places.
class SparseWalker {
public:
    SparseWalker(const std::vector<SparseLevel>& levels, size_t width, const std::byte* from, std::byte* to)
        : levels_(levels), width_(width), from_(from), to_(to) {}

    /// row: which element of the level above; base: its place.
    void walk(size_t at, int64_t row, int64_t base) {
        if (at == levels_.size()) {
            std::memcpy(to_ + static_cast<size_t>(base) * width_, from_, width_);
            from_ += width_;
            return;
        }
        const SparseLevel& level = levels_[at];
        if (level.dense) {
            for (int64_t i = 0; i < level.extent; ++i)
                walk(at + 1, row * level.extent + i, base + i * level.stride);
            return;
        }
        const auto begin = level.segments[static_cast<size_t>(row)], end = level.segments[static_cast<size_t>(row) + 1];
        for (int64_t i = begin; i < end; ++i)
            walk(at + 1, i, base + level.indices[static_cast<size_t>(i)] * level.stride);
    }

private:
    const std::vector<SparseLevel>& levels_;
    size_t width_;
    const std::byte* from_;
    std::byte* to_;
};

} // namespace

Result<model::Bytes> densify(const ::tflite::SparsityParameters& sparsity, std::span<const int64_t> shape, int width,
                             std::span<const std::byte> values, Budget& budget) {
    const size_t rank = shape.size();
    const size_t blocks = sparsity.block_map() ? sparsity.block_map()->size() : 0;
    const size_t stored = sparsity.dim_metadata() ? sparsity.dim_metadata()->size() : 0;
    const std::optional<int64_t> elements = model::elementsOf(shape);
    if (!elements || blocks > limits::tensorRank)
        return wrongSparsity(
            fmt::format("has a shape of {} dimensions and blocks of {} that are too large", rank, blocks));
    if (stored != rank + blocks)
        return wrongSparsity(fmt::format("of {} dimensions and {} of blocks has {} levels", rank, blocks, stored));
    LATHE_TRY(const std::vector<size_t> order, readOrder(sparsity, rank, blocks));
    std::vector<SparseLevel> levels;
    for (size_t at = 0; at < stored; ++at) {
        LATHE_TRY(SparseLevel level,
                  readLevel(*sparsity.dim_metadata()->Get(static_cast<flatbuffers::uoffset_t>(at)), at));
        levels.push_back(std::move(level));
    }
    LATHE_CHECKED(placeLevels(levels, order, shape, sparsity));
    LATHE_TRY(const int64_t count, countStored(levels));
    if (values.size() % static_cast<size_t>(width) != 0 ||
        static_cast<int64_t>(values.size() / static_cast<size_t>(width)) != count)
        return wrongSparsity(fmt::format("has {} bytes of data where its levels ask for {} elements of {}",
                                         values.size(), count, width));
    if (!budget.takeBytes(*elements * width))
        return failure(ErrorKind::Unsupported,
                       fmt::format("the model's sparse tensors take more than the limit of {} bytes when dense: this "
                                   "one has {} elements",
                                   limits::foldedBytes, *elements),
                       "store the tensor dense, so that its size is that of the file");
    const size_t size = static_cast<size_t>(*elements) * static_cast<size_t>(width);
    const std::shared_ptr<std::byte[]> dense(new std::byte[std::max<size_t>(size, 1)]());
    if (count > 0)
        SparseWalker(levels, static_cast<size_t>(width), values.data(), dense.get()).walk(0, 0, 0);
    return model::Bytes{dense, {dense.get(), size}};
}

} // namespace lathe::frontend::tflite
