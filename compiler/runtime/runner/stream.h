// SPDX-License-Identifier: Apache-2.0
//
// Frames on file descriptors, for the runner's side: blocking, whole or not at all.
#pragma once

#include "runtime/runner/protocol.h"

#include <vector>

namespace lathe::runtime::runner {

enum class Got { Frame, End, Malformed };

/// End: the stream ended at a frame's border. Malformed: it ended within a frame, or the header is not one. Payloads
/// are read piece by piece, so a header that lies about its size costs no memory. Throws std::bad_alloc.
Got readFrame(int descriptor, protocol::FrameHeader& header, std::vector<std::byte>& payload);
/// False if the other side is gone. `more` follows `payload` in the same frame.
bool writeFrame(int descriptor, protocol::Kind kind, std::span<const std::byte> payload,
                std::span<const std::byte> more = {});

} // namespace lathe::runtime::runner
