// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes frames on pipes and sockets.
#include "runtime/runner/stream.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace lathe::runtime::runner {

using namespace protocol;

namespace {

/// Bytes read: fewer than asked only at the end of the stream.
size_t readAll(int descriptor, void* to, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got = read(descriptor, static_cast<char*>(to) + done, bytes - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += static_cast<size_t>(got);
    }
    return done;
}

bool writeAll(int descriptor, const void* from, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        const ssize_t put = write(descriptor, static_cast<const char*>(from) + done, bytes - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += static_cast<size_t>(put);
    }
    return true;
}

} // namespace

Got readFrame(int descriptor, FrameHeader& header, std::vector<std::byte>& payload) {
    const size_t got = readAll(descriptor, &header, sizeof header);
    if (got == 0)
        return Got::End;
    if (got != sizeof header || header.magic != frameMagic || header.bytes > limits::frameBytes)
        return Got::Malformed;
    payload.clear();
    constexpr uint64_t firstPiece = uint64_t{1} << 20;
    while (payload.size() < header.bytes) {
        // Doubles: what is allocated is at most twice what has really come.
        const uint64_t before = payload.size();
        const uint64_t piece = std::min(header.bytes - before, std::max(firstPiece, before));
        payload.resize(before + piece);
        if (readAll(descriptor, payload.data() + before, piece) != piece)
            return Got::Malformed;
    }
    return Got::Frame;
}

bool writeFrame(int descriptor, Kind kind, std::span<const std::byte> payload, std::span<const std::byte> more) {
    const FrameHeader header{frameMagic, kind, payload.size() + more.size()};
    return writeAll(descriptor, &header, sizeof header) && writeAll(descriptor, payload.data(), payload.size()) &&
           writeAll(descriptor, more.data(), more.size());
}

} // namespace lathe::runtime::runner
