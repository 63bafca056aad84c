// SPDX-License-Identifier: Apache-2.0
//
// Two multiply-fold lanes over 8-byte words; the finalizer is that of MurmurHash3 (public domain, A. Appleby).
#include "base/hash.h"

#include <cstring>
#include <fmt/format.h>

namespace lathe {
namespace {

uint64_t fold(uint64_t x, uint64_t y) {
    unsigned __int128 product = static_cast<unsigned __int128>(x) * y;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t mix(uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
}

} // namespace

void Hasher::add(uint64_t value) {
    a_ = fold(a_ ^ value, 0x9fb21c651e98df25ull) + 0x2545f4914f6cdd1dull;
    b_ = (b_ ^ mix(value + a_)) * 0xd6e8feb86659fd93ull + (b_ >> 31);
}

void Hasher::add(std::string_view text) {
    addBytes(std::as_bytes(std::span(text)));
}

void Hasher::add(const Hash128& hash) {
    add(hash.high);
    add(hash.low);
}

void Hasher::addBytes(std::span<const std::byte> bytes) {
    add(static_cast<uint64_t>(bytes.size()));
    size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        uint64_t word;
        std::memcpy(&word, bytes.data() + at, 8);
        add(word);
    }
    if (at < bytes.size()) {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, bytes.size() - at);
        add(word);
    }
}

Hash128 Hasher::finish() const {
    return {mix(a_ ^ (b_ >> 1)), mix(b_ + a_)};
}

Hash128 hashBytes(std::span<const std::byte> bytes) {
    Hasher hasher;
    hasher.addBytes(bytes);
    return hasher.finish();
}

std::string toString(const Hash128& hash) {
    return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

} // namespace lathe
