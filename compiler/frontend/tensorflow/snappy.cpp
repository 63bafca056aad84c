// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/snappy.h"

#include <cstdint>

namespace lathe::frontend::tensorflow {
namespace {

/// The packed bytes, from front to back; ok is false once there were too few.
struct Packed {
    std::span<const std::byte> left;
    bool ok = true;

    /// A number of so many bytes, the lowest first.
    size_t number(size_t bytes) {
        size_t value = 0;
        ok = ok && bytes <= left.size();
        for (size_t i = 0; ok && i < bytes; ++i)
            value |= static_cast<size_t>(left[i]) << (8 * i);
        left = left.subspan(ok ? bytes : left.size());
        return value;
    }
    /// Seven bits a byte.
    size_t varint() {
        size_t value = 0;
        for (unsigned shift = 0; ok && shift < 35; shift += 7) {
            const size_t byte = number(1);
            value |= (byte & 0x7F) << shift;
            if (byte < 0x80)
                return value;
        }
        ok = false;
        return 0;
    }
};

} // namespace

std::optional<std::string> unpackSnappy(std::span<const std::byte> bytes, size_t most) {
    constexpr size_t longLiteral = 60; // lengths from there on stand behind the tag
    Packed packed{bytes};
    const size_t length = packed.varint();
    if (!packed.ok || length > most)
        return std::nullopt;
    std::string unpacked;
    while (packed.ok && !packed.left.empty()) {
        const size_t tag = packed.number(1), kind = tag & 3, upper = tag >> 2;
        size_t count = upper + 1, offset = 0;
        if (kind == 0 && upper >= longLiteral)
            count = packed.number(upper - longLiteral + 1) + 1;
        if (kind == 1) {
            count = (upper & 7) + 4;
            offset = (tag >> 5) << 8 | packed.number(1);
        } else if (kind > 1) {
            offset = packed.number(kind == 2 ? 2 : 4);
        }
        if (!packed.ok || count > length - unpacked.size())
            return std::nullopt;
        if (kind == 0) {
            if (count > packed.left.size())
                return std::nullopt;
            unpacked.append(reinterpret_cast<const char*>(packed.left.data()), count);
            packed.left = packed.left.subspan(count);
            continue;
        }
        if (offset == 0 || offset > unpacked.size())
            return std::nullopt;
        for (size_t i = 0; i < count; ++i) // a copy may reach into itself
            unpacked += unpacked[unpacked.size() - offset];
    }
    return packed.ok && unpacked.size() == length ? std::optional(std::move(unpacked)) : std::nullopt;
}

} // namespace lathe::frontend::tensorflow
