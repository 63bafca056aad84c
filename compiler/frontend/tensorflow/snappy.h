// SPDX-License-Identifier: Apache-2.0
//
// Snappy's block format, by its description: literals, and copies of what was unpacked before. Some builds of
// TensorFlow pack the index of a checkpoint so.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace lathe::frontend::tensorflow {

/// Nothing if the bytes are damaged, or unpack to more than `most` bytes.
std::optional<std::string> unpackSnappy(std::span<const std::byte> packed, size_t most);

} // namespace lathe::frontend::tensorflow
