// SPDX-License-Identifier: Apache-2.0
//
// The elements of arrays. Those that lie as they are stay where they lie; chunks, which filters may have gone over, are
// put together. All of an array must be stored: what a file leaves to a fill value could be of any size.
#include "frontend/hdf5/file.h"
#include "model/host_tensor.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <zlib.h>

namespace lathe::frontend::hdf5 {
namespace {

constexpr uint64_t mostDeflated = 1032; // to how many times its size deflate unpacks anything

Result<std::vector<std::byte>> inflated(ByteSpan from, uint64_t bytes) {
    std::vector<std::byte> out(bytes);
    auto size = static_cast<uLongf>(bytes);
    const int ended = uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                                 reinterpret_cast<const Bytef*>(from.data()), static_cast<uLong>(from.size()));
    if (ended != Z_OK || size != bytes)
        return damaged("a chunk of data does not unpack to its size");
    return out;
}

/// Bytes that stand together by their place in an element, each element's beside each other again.
std::vector<std::byte> unshuffled(ByteSpan from, uint64_t width) {
    std::vector<std::byte> out(from.begin(), from.end());
    const uint64_t count = from.size() / width;
    for (uint64_t i = 0; i < count; ++i)
        for (uint64_t k = 0; k < width; ++k)
            out[i * width + k] = from[k * count + i];
    return out;
}

/// The chunk's elements after its filters are undone, last first.
Result<std::vector<std::byte>> unfiltered(ByteSpan stored, const Dataset& dataset, uint64_t skipped, uint64_t bytes) {
    std::vector<std::byte> data;
    ByteSpan now = stored;
    for (size_t i = dataset.filters.size(); i-- > 0;) {
        if ((skipped >> i & 1) != 0)
            continue;
        if (dataset.filters[i].kind == Filter::Kind::Deflate) {
            if (bytes / mostDeflated > now.size())
                return damaged("a chunk of data does not unpack to its size");
            LATHE_TRY(data, inflated(now, bytes));
        } else {
            data = unshuffled(now, dataset.type.bytes);
        }
        now = data;
    }
    if (now.size() != bytes)
        return damaged("a chunk of data is not of its size");
    if (data.empty())
        data.assign(now.begin(), now.end());
    return data;
}

uint64_t product(const std::vector<uint64_t>& factors) {
    uint64_t all = 1;
    for (const uint64_t factor : factors)
        all = factor != 0 && all > std::numeric_limits<uint64_t>::max() / factor ? std::numeric_limits<uint64_t>::max()
                                                                                 : all * factor;
    return all;
}

/// How many chunks there are along each dim.
std::vector<uint64_t> grid(const Dataset& dataset) {
    std::vector<uint64_t> counts;
    for (size_t i = 0; i < dataset.shape.size(); ++i)
        counts.push_back((static_cast<uint64_t>(dataset.shape[i]) + dataset.layout.chunk[i] - 1) /
                         dataset.layout.chunk[i]);
    return counts;
}

/// Copies what of a chunk lies within the array, a row after the other.
void place(const std::vector<std::byte>& chunk, const std::vector<uint64_t>& at, const Dataset& dataset,
           std::vector<std::byte>& into) {
    const size_t rank = dataset.shape.size();
    const uint64_t width = dataset.type.bytes;
    const auto kept = [&](size_t dim) {
        return std::min(dataset.layout.chunk[dim], static_cast<uint64_t>(dataset.shape[dim]) - at[dim]);
    };
    if (rank == 0) {
        std::memcpy(into.data(), chunk.data(), width);
        return;
    }
    std::vector<uint64_t> index(rank, 0);
    while (true) {
        uint64_t from = 0, to = 0;
        for (size_t i = 0; i < rank; ++i) {
            from = from * dataset.layout.chunk[i] + index[i];
            to = to * static_cast<uint64_t>(dataset.shape[i]) + at[i] + index[i];
        }
        std::memcpy(into.data() + to * width, chunk.data() + from * width, kept(rank - 1) * width);
        size_t dim = rank - 1;
        while (dim > 0 && ++index[dim - 1] == kept(dim - 1))
            index[--dim] = 0;
        if (dim == 0)
            return;
    }
}

} // namespace

Result<model::TensorPtr> File::read(const Object& object) {
    if (object.fault)
        return std::unexpected(*object.fault);
    if (!object.dataset)
        return damaged("a group stands where an array is expected");
    const Dataset& dataset = *object.dataset;
    if (dataset.type.kind != Datatype::Kind::Number)
        return unsupported("texts where numbers are expected");
    const auto bytes = model::byteSize(dataset.type.dtype, dataset.shape);
    if (!bytes)
        return damaged("an array larger than any");
    auto tensor = std::make_shared<model::TensorData>();
    tensor->dtype = dataset.type.dtype;
    tensor->shape = dataset.shape;
    const Layout& layout = dataset.layout;
    const auto wanted = static_cast<uint64_t>(*bytes);
    if (wanted == 0)
        return tensor;
    if (layout.kind != Layout::Kind::Compact && layout.kind != Layout::Kind::Contiguous) {
        LATHE_TRY(tensor->bytes, readChunks(dataset, wanted));
        return tensor;
    }
    ByteSpan data = layout.inside;
    if (layout.kind == Layout::Kind::Contiguous) {
        if (layout.address == widths_.undefined())
            return damaged("the elements of an array are not stored");
        LATHE_TRY(data, at(layout.address, std::max(layout.bytes, wanted)));
    }
    if (data.size() < wanted || !dataset.filters.empty())
        return damaged(fmt::format("an array of {} bytes is stored in {}", wanted, data.size()));
    data = data.first(wanted);
    if (reinterpret_cast<uintptr_t>(data.data()) % dataset.type.bytes == 0) {
        tensor->bytes = {bytes_.owner, data};
    } else {
        LATHE_CHECKED(spend(wanted));
        const auto copy = std::make_shared<std::vector<std::byte>>(data.begin(), data.end());
        tensor->bytes = {copy, *copy};
    }
    return tensor;
}

Result<model::Bytes> File::readChunks(const Dataset& dataset, uint64_t bytes) {
    const std::vector<uint64_t>& dims = dataset.layout.chunk;
    if (dims.size() != dataset.shape.size() || std::ranges::find(dims, 0) != dims.end())
        return damaged("chunks are not of the array's dims");
    const uint64_t elements = product(dims), width = dataset.type.bytes;
    if (elements > static_cast<uint64_t>(limits::foldedBytes) / width)
        return unsupported("chunks larger than what is unpacked");
    LATHE_TRY(const std::vector<Chunk> chunks, chunksOf(dataset));
    if (chunks.size() != product(grid(dataset)))
        return damaged("not all elements of an array are stored");
    LATHE_CHECKED(spend(bytes));
    const auto out = std::make_shared<std::vector<std::byte>>(bytes);
    std::set<std::vector<uint64_t>> seen;
    for (const Chunk& chunk : chunks) {
        LATHE_CHECKED(visit());
        for (size_t i = 0; i < dims.size(); ++i)
            if (chunk.place[i] >= static_cast<uint64_t>(dataset.shape[i]) || chunk.place[i] % dims[i] != 0)
                return damaged("a chunk lies outside of its array");
        if (!seen.insert(chunk.place).second)
            return damaged("an array has a chunk twice");
        LATHE_CHECKED(spend(elements * width));
        const uint64_t stored = dataset.filters.empty() ? elements * width : chunk.bytes;
        LATHE_TRY(const ByteSpan data, at(chunk.address, stored));
        LATHE_TRY(const std::vector<std::byte> values, unfiltered(data, dataset, chunk.skipped, elements * width));
        place(values, chunk.place, dataset, *out);
    }
    return model::Bytes{out, *out};
}

Result<std::vector<File::Chunk>> File::chunksOf(const Dataset& dataset) {
    const Layout& layout = dataset.layout;
    if (layout.address == widths_.undefined())
        return damaged("the elements of an array are not stored");
    std::vector<Chunk> chunks;
    if (layout.kind == Layout::Kind::FixedArray)
        return readFixedArray(dataset);
    if (layout.kind == Layout::Kind::ChunkTree) {
        LATHE_CHECKED(readChunkTree(dataset, layout.address, -1, chunks));
    } else {
        chunks.push_back(
            {layout.address, layout.bytes, layout.skipped, std::vector<uint64_t>(dataset.shape.size(), 0)});
    }
    return chunks;
}

/// level: that the node must have; -1: any.
Result<void> File::readChunkTree(const Dataset& dataset, uint64_t address, int level, std::vector<Chunk>& chunks) {
    LATHE_CHECKED(visit());
    LATHE_TRY(const ByteSpan bytes, from(address));
    Cursor node(bytes);
    if (!node.has("TREE") || node.byte() != 1)
        return damaged(fmt::format("at {} there is no tree of chunks", address));
    const int own = node.byte();
    if (own > deepestTree || (level >= 0 && own != level))
        return damaged("a tree of chunks is uneven");
    const uint64_t count = node.number(2);
    node.skip(2 * widths_.address);
    for (uint64_t i = 0; i < count; ++i) {
        LATHE_CHECKED(visit());
        Chunk chunk;
        chunk.bytes = node.number(4);
        chunk.skipped = node.number(4);
        for (size_t dim = 0; dim < dataset.shape.size(); ++dim)
            chunk.place.push_back(node.number(8));
        node.skip(8);
        chunk.address = node.number(widths_.address);
        if (node.failed())
            return damaged("a tree of chunks ends beyond it");
        if (own > 0) {
            LATHE_CHECKED(readChunkTree(dataset, chunk.address, own - 1, chunks));
            continue;
        }
        chunks.push_back(std::move(chunk));
    }
    return {};
}

/// Chunks in order, without their places: what newer files have where no dim may grow.
Result<std::vector<File::Chunk>> File::readFixedArray(const Dataset& dataset) {
    LATHE_TRY(const ByteSpan bytes, from(dataset.layout.address));
    Cursor head(bytes);
    if (!head.has("FAHD"))
        return damaged(fmt::format("at {} there is no array of chunks", dataset.layout.address));
    head.skip(1);
    const bool isFiltered = head.byte() != 0;
    const uint64_t entryBytes = head.byte(), pageBits = head.byte(), count = head.number(widths_.length);
    const uint64_t blockAddress = head.number(widths_.address);
    const std::vector<uint64_t> counts = grid(dataset);
    if (head.failed() || count != product(counts) || pageBits > 32 || (isFiltered && entryBytes < widths_.address + 5))
        return damaged("an array of chunks does not fit its data");
    if (count > uint64_t{1} << pageBits)
        return unsupported("an array of chunks in pages");
    LATHE_TRY(const ByteSpan block, from(blockAddress));
    Cursor entries(block);
    if (!entries.has("FADB"))
        return damaged(fmt::format("at {} there are no chunks", blockAddress));
    entries.skip(2 + widths_.address);
    std::vector<Chunk> chunks;
    for (uint64_t i = 0; i < count; ++i) {
        LATHE_CHECKED(visit());
        Chunk chunk;
        chunk.address = entries.number(widths_.address);
        if (isFiltered) {
            chunk.bytes = entries.number(std::min<uint64_t>(entryBytes - widths_.address - 4, 8));
            chunk.skipped = entries.number(4);
        }
        chunk.place.resize(counts.size());
        uint64_t rest = i;
        for (size_t dim = counts.size(); dim-- > 0; rest /= counts[dim])
            chunk.place[dim] = rest % counts[dim] * dataset.layout.chunk[dim];
        if (entries.failed())
            return damaged("an array of chunks ends beyond it");
        chunks.push_back(std::move(chunk));
    }
    return chunks;
}

} // namespace lathe::frontend::hdf5
