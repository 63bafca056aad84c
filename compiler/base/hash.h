// SPDX-License-Identifier: Apache-2.0
//
// Stable 128-bit hashes: of constants' bytes, IR structure, workloads and cache keys. XXH3 of the xxHash library, whose
// values are the same on every machine and in every version from 0.8 on. Not cryptographic.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#define XXH_STATIC_LINKING_ONLY // the state as a member
#include <xxhash.h>

namespace lathe {

struct Hash128 {
    uint64_t high = 0;
    uint64_t low = 0;
    auto operator<=>(const Hash128&) const = default;
};

/// 32 lower-case hexadecimal digits.
std::string toString(const Hash128& hash);

/// Feeds values in order; the order and the lengths matter.
class Hasher {
public:
    Hasher();
    void add(uint64_t value);
    void add(std::string_view text);
    void add(const Hash128& hash);
    void addBytes(std::span<const std::byte> bytes);
    Hash128 finish() const;

private:
    XXH3_state_t state_;
};

/// XXH3_128bits of the bytes.
Hash128 hashBytes(std::span<const std::byte> bytes);

struct HashOfHash128 {
    size_t operator()(const Hash128& hash) const { return hash.low; }
};

} // namespace lathe
