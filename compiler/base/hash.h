// SPDX-License-Identifier: Apache-2.0
//
// Stable 128-bit hashes: of constants' bytes, IR structure, workloads and cache keys. Not cryptographic.
// The value is part of files on disk, so the algorithm may change only together with the cache version.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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
    void add(uint64_t value);
    void add(std::string_view text);
    void add(const Hash128& hash);
    void addBytes(std::span<const std::byte> bytes);
    Hash128 finish() const;

private:
    uint64_t a_ = 0x9e3779b97f4a7c15ull;
    uint64_t b_ = 0xc2b2ae3d27d4eb4full;
};

Hash128 hashBytes(std::span<const std::byte> bytes);

struct HashOfHash128 {
    size_t operator()(const Hash128& hash) const { return hash.low; }
};

} // namespace lathe
