// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/sorted_table.h"

#include "frontend/tensorflow/checksum.h"
#include "frontend/tensorflow/snappy.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>

namespace lathe::frontend::tensorflow {
namespace {

constexpr size_t footerBytes = 48, trailerBytes = 5; // of a block: how it is packed, and its checksum
constexpr uint64_t magic = 0xdb4775248b80fb57;
constexpr std::byte plain{0}, snappy{1}; // how blocks are packed
constexpr size_t mostBlockBytes = size_t{1} << 26;
constexpr size_t mostEntries = 10'000'000, mostKeyBytes = size_t{1} << 28;
constexpr const char* saveModelAgain = "copy or export the model again";

Diagnostic damaged(const std::string& what) {
    return error("the index of the variables is damaged: " + what, saveModelAgain);
}

using Bytes = std::span<const std::byte>;

uint64_t fixed(Bytes bytes, size_t count) {
    uint64_t value = 0;
    for (size_t i = count; i-- > 0;)
        value = value << 8 | static_cast<uint64_t>(bytes[i]);
    return value;
}

/// A varint at the start, which is cut off.
std::optional<uint64_t> takeVarint(Bytes& bytes) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
        const auto byte = static_cast<uint64_t>(bytes.front());
        bytes = bytes.subspan(1);
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    return std::nullopt;
}

struct Handle {
    uint64_t offset = 0, size = 0;
};

std::optional<Handle> takeHandle(Bytes& bytes) {
    const auto offset = takeVarint(bytes);
    const auto size = offset ? takeVarint(bytes) : std::nullopt;
    return size ? std::optional(Handle{*offset, *size}) : std::nullopt;
}

struct Block {
    std::shared_ptr<const std::string> unpacked; // what it is of, where it was packed
    Bytes bytes;
};

Result<Block> blockAt(Bytes file, const Handle& handle) {
    if (handle.offset > file.size() || handle.size > file.size() - handle.offset ||
        file.size() - handle.offset - handle.size < trailerBytes)
        return std::unexpected(damaged("a block lies beyond the file's end"));
    const Bytes block = file.subspan(handle.offset, handle.size);
    const Bytes trailer = file.subspan(handle.offset + handle.size, trailerBytes);
    if (maskedChecksum(file.subspan(handle.offset, handle.size + 1)) != fixed(trailer.subspan(1), 4))
        return std::unexpected(damaged("a block's checksum does not match"));
    if (trailer[0] == plain)
        return Block{nullptr, block};
    if (trailer[0] != snappy)
        return std::unexpected(error(ErrorKind::Unsupported, "the index of the variables is packed in an unknown way",
                                     "save the model by TensorFlow itself"));
    std::optional<std::string> unpacked = unpackSnappy(block, mostBlockBytes);
    if (!unpacked)
        return std::unexpected(damaged("a block cannot be unpacked"));
    const auto owner = std::make_shared<const std::string>(*std::move(unpacked));
    return Block{owner, std::as_bytes(std::span(*owner))};
}

using Entry = std::function<Result<void>(const std::string& key, Bytes value)>;

Result<void> eachOf(Bytes block, const Entry& entry) {
    if (block.size() < 4)
        return std::unexpected(damaged("a block is too short"));
    const uint64_t restarts = fixed(block.subspan(block.size() - 4), 4);
    if (restarts > block.size() / 4 - 1)
        return std::unexpected(damaged("a block is too short"));
    Bytes left = block.first(block.size() - 4 * (restarts + 1));
    std::string key;
    while (!left.empty()) {
        const auto shared = takeVarint(left), own = takeVarint(left), size = takeVarint(left);
        if (!shared || !own || !size || *shared > key.size() || *own > left.size() || *size > left.size() - *own)
            return std::unexpected(damaged("an entry leads out of its block"));
        key.resize(*shared);
        key.append(reinterpret_cast<const char*>(left.data()), *own);
        LATHE_CHECKED(entry(key, left.subspan(*own, *size)));
        left = left.subspan(*own + *size);
    }
    return {};
}

} // namespace

Result<std::map<std::string, std::string>> readTable(std::span<const std::byte> file) {
    if (file.size() < footerBytes || fixed(file.subspan(file.size() - 8), 8) != magic)
        return std::unexpected(damaged("it does not end as one"));
    Bytes footer = file.subspan(file.size() - footerBytes);
    const auto ofIndex = takeHandle(footer) ? takeHandle(footer) : std::nullopt; // after that of the meta block
    if (!ofIndex)
        return std::unexpected(damaged("its end does not say where it begins"));
    LATHE_TRY(const Block index, blockAt(file, *ofIndex));
    std::map<std::string, std::string> entries;
    size_t keyBytes = 0; // keys may be much longer than what is stored of them
    const auto add = [&](const std::string& key, Bytes value) -> Result<void> {
        keyBytes += key.size();
        if (entries.size() >= mostEntries || keyBytes > mostKeyBytes)
            return std::unexpected(damaged("it has too many entries"));
        const std::string text(reinterpret_cast<const char*>(value.data()), value.size());
        if (!entries.emplace(key, text).second)
            return std::unexpected(damaged(fmt::format("it has '{}' twice", key)));
        return {};
    };
    uint64_t blockBytes = 0; // blocks may be without entries, and one may be named over and over
    LATHE_CHECKED(eachOf(index.bytes, [&](const std::string&, Bytes value) -> Result<void> {
        const auto handle = takeHandle(value);
        if (!handle)
            return std::unexpected(damaged("an entry does not say where its block lies"));
        LATHE_TRY(const Block block, blockAt(file, *handle));
        blockBytes += handle->size + trailerBytes;
        if (blockBytes > file.size())
            return std::unexpected(damaged("its blocks are more than there is in it"));
        return eachOf(block.bytes, add);
    }));
    return entries;
}

} // namespace lathe::frontend::tensorflow
