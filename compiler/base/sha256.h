// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4), by which bundles name their files: `sha256sum -c` on any device computes the same. The project's own
// hashes (base/hash.h) are faster, and no match for somebody who wants two files to have one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lathe {

class Sha256 {
public:
    void add(std::span<const std::byte> bytes);
    /// 64 lower-case hexadecimal digits. Nothing may be added any more.
    std::string finish();

private:
    void block(const uint8_t* bytes);

    std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<uint8_t, 64> rest_{}; // bytes that make no whole block yet
    uint64_t bytes_ = 0;
};

std::string sha256(std::string_view bytes);

/// Whether this is one, as finish() writes it.
bool isSha256(std::string_view text);

} // namespace lathe
