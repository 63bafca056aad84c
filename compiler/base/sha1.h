// SPDX-License-Identifier: Apache-2.0
//
// SHA-1 (FIPS 180-4), which SPDX asks for beside other hashes of files. It tells files apart that nobody made alike on purpose,
// and no others: what has to be trusted goes by base/sha256.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lathe {

class Sha1 {
public:
    void add(std::span<const std::byte> bytes);
    /// 40 lower-case hexadecimal digits. Nothing may be added any more.
    std::string finish();

private:
    void block(const uint8_t* bytes);

    std::array<uint32_t, 5> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    std::array<uint8_t, 64> rest_{}; // bytes that make no whole block yet
    uint64_t bytes_ = 0;
};

std::string sha1(std::string_view bytes);

} // namespace lathe
