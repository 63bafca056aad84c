// SPDX-License-Identifier: Apache-2.0
#include "base/sha1.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace lathe {

void Sha1::block(const uint8_t* bytes) {
    std::array<uint32_t, 80> words;
    for (size_t i = 0; i < 16; ++i)
        words[i] = uint32_t{bytes[4 * i]} << 24 | uint32_t{bytes[4 * i + 1]} << 16 | uint32_t{bytes[4 * i + 2]} << 8 |
                   bytes[4 * i + 3];
    for (size_t i = 16; i < words.size(); ++i)
        words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    auto [a, b, c, d, e] = state_;
    for (size_t i = 0; i < words.size(); ++i) {
        constexpr uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
        const size_t round = i / 20;
        const uint32_t mixed = round == 0   ? ((b & c) | (~b & d))
                               : round == 2 ? ((b & c) | (b & d) | (c & d))
                                            : b ^ c ^ d;
        const uint32_t next = std::rotl(a, 5) + mixed + e + constants[round] + words[i];
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = next;
    }
    const std::array<uint32_t, 5> more{a, b, c, d, e};
    for (size_t i = 0; i < state_.size(); ++i)
        state_[i] += more[i];
}

void Sha1::add(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const size_t at = bytes_ % rest_.size(), count = std::min(bytes.size(), rest_.size() - at);
        std::memcpy(rest_.data() + at, bytes.data(), count);
        bytes_ += count;
        bytes = bytes.subspan(count);
        if (bytes_ % rest_.size() == 0)
            block(rest_.data());
    }
}

std::string Sha1::finish() {
    const uint64_t bits = bytes_ * 8;
    constexpr std::byte one{0x80}, zero{0};
    add({&one, 1});
    while (bytes_ % rest_.size() != rest_.size() - sizeof bits)
        add({&zero, 1});
    std::array<std::byte, sizeof bits> length;
    for (size_t i = 0; i < length.size(); ++i)
        length[i] = static_cast<std::byte>(bits >> (8 * (length.size() - 1 - i)));
    add(length);
    std::string text;
    for (const uint32_t word : state_)
        text += fmt::format("{:08x}", word);
    return text;
}

std::string sha1(std::string_view bytes) {
    Sha1 hash;
    hash.add(std::as_bytes(std::span(bytes)));
    return hash.finish();
}

} // namespace lathe
