// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <fmt/format.h>

namespace lathe {
namespace {

Hash128 fromLibrary(XXH128_hash_t hash) {
    return {hash.high64, hash.low64};
}

} // namespace

Hasher::Hasher() {
    XXH3_INITSTATE(&state_);
    XXH3_128bits_reset(&state_);
}

void Hasher::add(uint64_t value) {
    XXH3_128bits_update(&state_, &value, sizeof(value));
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
    XXH3_128bits_update(&state_, bytes.data(), bytes.size());
}

Hash128 Hasher::finish() const {
    return fromLibrary(XXH3_128bits_digest(&state_));
}

Hash128 hashBytes(std::span<const std::byte> bytes) {
    return fromLibrary(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string toString(const Hash128& hash) {
    return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

} // namespace lathe
