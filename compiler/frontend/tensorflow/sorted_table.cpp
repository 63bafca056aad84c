// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/sorted_table.h"

#include "frontend/tensorflow/checksum.h"

#include <fmt/format.h>

#include <functional>
#include <optional>

namespace lathe::frontend::tensorflow {
namespace {

constexpr size_t footerBytes = 48, trailerBytes = 5; // of a block: how it is packed, and its checksum
constexpr uint64_t magic = 0xdb4775248b80fb57;
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

Result<Bytes> blockAt(Bytes file, const Handle& handle) {
    if (handle.offset > file.size() || handle.size > file.size() - handle.offset ||
        file.size() - handle.offset - handle.size < trailerBytes)
        return std::unexpected(damaged("a block lies beyond the file's end"));
    const Bytes block = file.subspan(handle.offset, handle.size);
    const Bytes trailer = file.subspan(handle.offset + handle.size, trailerBytes);
    if (maskedChecksum(file.subspan(handle.offset, handle.size + 1)) != fixed(trailer.subspan(1), 4))
        return std::unexpected(damaged("a block's checksum does not match"));
    if (trailer[0] != std::byte{0})
        return std::unexpected(error(ErrorKind::Unsupported, "the index of the variables is compressed",
                                     "save the model by TensorFlow itself, which does not compress it"));
    return block;
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
    LATHE_TRY(const Bytes index, blockAt(file, *ofIndex));
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
    LATHE_CHECKED(eachOf(index, [&](const std::string&, Bytes value) -> Result<void> {
        const auto handle = takeHandle(value);
        if (!handle)
            return std::unexpected(damaged("an entry does not say where its block lies"));
        LATHE_TRY(const Bytes block, blockAt(file, *handle));
        return eachOf(block, add);
    }));
    return entries;
}

} // namespace lathe::frontend::tensorflow
