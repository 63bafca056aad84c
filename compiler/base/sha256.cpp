// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lathe {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr uint32_t roundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

} // namespace

void Sha256::block(const uint8_t* bytes) {
    uint32_t words[64];
    for (size_t i = 0; i < 16; ++i)
        words[i] = uint32_t{bytes[4 * i]} << 24 | uint32_t{bytes[4 * i + 1]} << 16 | uint32_t{bytes[4 * i + 2]} << 8 |
                   uint32_t{bytes[4 * i + 3]};
    for (size_t i = 16; i < 64; ++i) {
        const uint32_t s0 = std::rotr(words[i - 15], 7) ^ std::rotr(words[i - 15], 18) ^ (words[i - 15] >> 3);
        const uint32_t s1 = std::rotr(words[i - 2], 17) ^ std::rotr(words[i - 2], 19) ^ (words[i - 2] >> 10);
        words[i] = words[i - 16] + s0 + words[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (size_t i = 0; i < 64; ++i) {
        const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + roundConstants[i] + words[i];
        const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const uint32_t mixed[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; ++i)
        state_[i] += mixed[i];
}

void Sha256::add(std::span<const std::byte> bytes) {
    const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
    size_t left = bytes.size();
    const size_t held = bytes_ % rest_.size();
    bytes_ += left;
    if (held > 0) {
        const size_t taken = std::min(left, rest_.size() - held);
        std::memcpy(rest_.data() + held, at, taken);
        at += taken, left -= taken;
        if (held + taken < rest_.size())
            return;
        block(rest_.data());
    }
    for (; left >= rest_.size(); at += rest_.size(), left -= rest_.size())
        block(at);
    if (left > 0)
        std::memcpy(rest_.data(), at, left);
}

std::string Sha256::finish() {
    const uint64_t bits = bytes_ * 8;
    const std::byte one{0x80}, zero{0};
    add({&one, 1});
    while (bytes_ % rest_.size() != rest_.size() - 8)
        add({&zero, 1});
    std::array<std::byte, 8> length{};
    for (size_t i = 0; i < 8; ++i)
        length[i] = static_cast<std::byte>(bits >> (56 - 8 * i));
    add(length);
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const uint32_t word : state_)
        for (int shift = 28; shift >= 0; shift -= 4)
            text += digits[word >> shift & 15];
    return text;
}

std::string sha256(std::string_view bytes) {
    Sha256 hash;
    hash.add(std::as_bytes(std::span(bytes)));
    return hash.finish();
}

bool isSha256(std::string_view text) {
    return text.size() == 64 &&
           std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

} // namespace lathe
