// SPDX-License-Identifier: Apache-2.0
//
// The layout is that of PKWARE's APPNOTE 6.3.10: 4.3.7 (local header), 4.3.12 (directory), 4.3.14 to 4.3.16 (its end),
// 4.5.3 (sizes of 64 bits).
#include "data/zip_places.h"

#include "base/limits.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <vector>

namespace lathe::data {
namespace {

constexpr uint64_t localHeader = 0x04034b50, directoryEntry = 0x02014b50, directoryEnd = 0x06054b50,
                   farEnd = 0x06064b50, farLocator = 0x07064b50;
constexpr size_t localBytes = 30, entryBytes = 46, endBytes = 22, locatorBytes = 20;
constexpr uint64_t inExtra16 = 0xffff, inExtra32 = 0xffffffff;

/// Little endian numbers of the archive; 0 beyond its end.
class Fields {
public:
    explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}
    size_t size() const { return bytes_.size(); }
    uint64_t at(uint64_t place, size_t width) const {
        uint64_t value = 0;
        for (size_t i = 0; i < width && place < size() && width <= size() - place; ++i)
            value |= std::to_integer<uint64_t>(bytes_[place + i]) << (8 * i);
        return value;
    }
    std::string_view text(uint64_t place, uint64_t length) const {
        if (place > size() || length > size() - place)
            return {};
        return {reinterpret_cast<const char*>(bytes_.data()) + place, length};
    }

private:
    std::span<const std::byte> bytes_;
};

struct Directory {
    uint64_t entries = 0, place = 0;
};

/// At the end, behind which a comment may stand.
std::optional<Directory> directoryOf(const Fields& fields) {
    if (fields.size() < endBytes)
        return std::nullopt;
    constexpr size_t longestComment = 0xffff;
    const size_t first = fields.size() - endBytes > longestComment ? fields.size() - endBytes - longestComment : 0;
    for (size_t at = fields.size() - endBytes + 1; at > first; --at) {
        const size_t end = at - 1;
        if (fields.at(end, 4) != directoryEnd || end + endBytes + fields.at(end + 20, 2) != fields.size())
            continue;
        Directory directory{fields.at(end + 10, 2), fields.at(end + 16, 4)};
        if (directory.entries != inExtra16 && directory.place != inExtra32)
            return directory;
        if (end < locatorBytes || fields.at(end - locatorBytes, 4) != farLocator)
            return directory;
        const uint64_t far = fields.at(end - locatorBytes + 8, 8);
        if (fields.at(far, 4) != farEnd)
            return std::nullopt;
        return Directory{fields.at(far + 32, 8), fields.at(far + 48, 8)};
    }
    return std::nullopt;
}

struct Entry {
    std::string_view name;
    uint64_t begin = 0, end = 0; // of the file with what stands in front of it
};

/// Packed size and place, which a field behind the name has if they do not fit: whole size, packed size, place, in this order,
/// those that are missing.
void readFar(const Fields& fields, uint64_t at, uint64_t length, bool isWholeFar, uint64_t& packed, uint64_t& place) {
    constexpr uint64_t farSizes = 1;
    for (uint64_t next = at; next + 4 <= at + length; next += 4 + fields.at(next + 2, 2)) {
        if (fields.at(next, 2) != farSizes)
            continue;
        uint64_t field = next + 4 + (isWholeFar ? 8 : 0);
        if (packed == inExtra32) {
            packed = fields.at(field, 8);
            field += 8;
        }
        if (place == inExtra32)
            place = fields.at(field, 8);
        return;
    }
}

} // namespace

Result<void> checkZipPlaces(std::span<const std::byte> archive) {
    const Fields fields(archive);
    const std::optional<Directory> directory = directoryOf(fields);
    if (!directory || directory->entries > limits::zipEntries)
        return {};
    constexpr const char* damaged = "copy the archive again, or make it again";
    std::vector<Entry> entries;
    uint64_t at = directory->place;
    for (uint64_t i = 0; i < directory->entries && fields.at(at, 4) == directoryEntry; ++i) {
        const uint64_t name = fields.at(at + 28, 2), extra = fields.at(at + 30, 2), comment = fields.at(at + 32, 2);
        uint64_t packed = fields.at(at + 20, 4), place = fields.at(at + 42, 4);
        readFar(fields, at + entryBytes + name, extra, fields.at(at + 24, 4) == inExtra32, packed, place);
        const uint64_t ownName = fields.at(place + 26, 2), ownExtra = fields.at(place + 28, 2);
        Entry entry{fields.text(at + entryBytes, name), place, place};
        if (fields.at(place, 4) != localHeader || fields.text(place + localBytes, ownName) != entry.name)
            return failure(fmt::format("the archive is damaged: where '{}' should lie, another file lies",
                                       entry.name.substr(0, 80)),
                           damaged);
        const uint64_t header = localBytes + ownName + ownExtra;
        entry.end =
            packed > fields.size() - std::min<uint64_t>(place, fields.size()) ? fields.size() : place + header + packed;
        entries.push_back(entry);
        at += entryBytes + name + extra + comment;
    }
    std::ranges::sort(entries, {}, &Entry::begin);
    for (size_t i = 0; i + 1 < entries.size(); ++i)
        if (entries[i].end > entries[i + 1].begin)
            return failure(fmt::format("the archive is damaged: '{}' lies within '{}'",
                                       entries[i + 1].name.substr(0, 80), entries[i].name.substr(0, 80)),
                           damaged);
    return {};
}

} // namespace lathe::data
