// SPDX-License-Identifier: Apache-2.0
//
// Four bytes a step by four tables: models have hundreds of megabytes of variables.
#include "frontend/tensorflow/checksum.h"

#include <array>
#include <bit>

namespace lathe::frontend::tensorflow {
namespace {

constexpr uint32_t castagnoli = 0x82f63b78; // Castagnoli's, reflected

/// Entry [k][i]: what byte i does when k more bytes follow it.
constexpr auto crcTables = [] {
    std::array<std::array<uint32_t, 256>, 4> made{};
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? castagnoli : 0);
        made[0][i] = crc;
    }
    for (size_t k = 1; k < made.size(); ++k)
        for (size_t i = 0; i < 256; ++i)
            made[k][i] = made[k - 1][i] >> 8 ^ made[0][made[k - 1][i] & 0xff];
    return made;
}();

} // namespace

uint32_t maskedChecksum(std::span<const std::byte> bytes) {
    constexpr uint32_t moved = 0xa282ead8;
    uint32_t crc = ~uint32_t{0};
    const auto at = [&](size_t i) { return static_cast<uint32_t>(bytes[i]); };
    size_t i = 0;
    for (; i + 4 <= bytes.size(); i += 4) {
        crc ^= at(i) | at(i + 1) << 8 | at(i + 2) << 16 | at(i + 3) << 24;
        crc = crcTables[3][crc & 0xff] ^ crcTables[2][crc >> 8 & 0xff] ^ crcTables[1][crc >> 16 & 0xff] ^
              crcTables[0][crc >> 24];
    }
    for (; i < bytes.size(); ++i)
        crc = crc >> 8 ^ crcTables[0][(crc ^ at(i)) & 0xff];
    return std::rotr(~crc, 15) + moved;
}

} // namespace lathe::frontend::tensorflow
