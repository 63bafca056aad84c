// SPDX-License-Identifier: Apache-2.0
//
// The checksum of TensorFlow's files of variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lathe::frontend::tensorflow {

/// CRC-32C of the bytes, rotated and moved as the files hold it: the checksum of what holds its own checksum says
/// nothing.
uint32_t maskedChecksum(std::span<const std::byte> bytes);

} // namespace lathe::frontend::tensorflow
