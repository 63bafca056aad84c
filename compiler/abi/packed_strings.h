// SPDX-License-Identifier: Apache-2.0
//
// How the strings of a tensor lie in bytes, where they are constants of an artifact or go through the runner's protocol: the
// size of each, 64 bits, and behind all sizes their text, without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace lathe::abi {

/// Of a range of what converts to std::string_view.
template <class Strings>
std::vector<std::byte> packStrings(const Strings& strings) {
    std::vector<std::byte> packed;
    const auto append = [&](const void* data, size_t bytes) {
        const auto* from = static_cast<const std::byte*>(data);
        packed.insert(packed.end(), from, from + bytes);
    };
    for (const std::string_view text : strings) {
        const uint64_t size = text.size();
        append(&size, sizeof size);
    }
    for (const std::string_view text : strings)
        append(text.data(), text.size());
    return packed;
}

/// Calls each(std::string_view) for each of `count` strings, in order. False, and no call, if the bytes are not exactly those
/// of that many: they may come from anywhere.
template <class Each>
bool unpackStrings(std::span<const std::byte> packed, uint64_t count, Each&& each) {
    if (count > packed.size() / sizeof(uint64_t))
        return false;
    const std::byte* text = packed.data() + count * sizeof(uint64_t);
    const auto sizeOf = [&](uint64_t index) {
        uint64_t size = 0;
        std::memcpy(&size, packed.data() + index * sizeof size, sizeof size);
        return size;
    };
    uint64_t left = packed.size() - count * sizeof(uint64_t);
    for (uint64_t i = 0; i < count; ++i) {
        if (sizeOf(i) > left)
            return false;
        left -= sizeOf(i);
    }
    if (left > 0)
        return false;
    for (uint64_t i = 0; i < count; ++i) {
        each(std::string_view(reinterpret_cast<const char*>(text), sizeOf(i)));
        text += sizeOf(i);
    }
    return true;
}

} // namespace lathe::abi
