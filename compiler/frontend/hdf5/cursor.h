// SPDX-License-Identifier: Apache-2.0
//
// Reading of little-endian numbers one after the other, of bytes that anybody may have made. Errors are sticky: beyond
// the end all numbers are 0, and the caller asks once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lathe::frontend::hdf5 {

using ByteSpan = std::span<const std::byte>;

/// The n bytes from `offset` on; none, and `fits` false, if they are not all there.
struct Part {
    ByteSpan bytes;
    bool fits = false;
};
inline Part partOf(ByteSpan bytes, uint64_t offset, uint64_t n) {
    if (offset > bytes.size() || n > bytes.size() - offset)
        return {};
    return {bytes.subspan(offset, n), true};
}

class Cursor {
public:
    explicit Cursor(ByteSpan bytes) : bytes_(bytes) {}

    /// A number of so many bytes, at most 8.
    uint64_t number(size_t width) {
        uint64_t value = 0;
        const ByteSpan taken = take(width);
        for (size_t i = taken.size(); i-- > 0;)
            value = value << 8 | std::to_integer<uint64_t>(taken[i]);
        return value;
    }
    uint8_t byte() { return static_cast<uint8_t>(number(1)); }
    ByteSpan take(uint64_t n) {
        const Part part = partOf(bytes_, at_, n);
        failed_ = failed_ || !part.fits;
        if (failed_)
            return {};
        at_ += n;
        return part.bytes;
    }
    void skip(uint64_t n) { take(n); }
    /// Whether these characters come next; takes them.
    bool has(std::string_view signature) {
        const ByteSpan taken = take(signature.size());
        return !failed_ && std::string_view(reinterpret_cast<const char*>(taken.data()), taken.size()) == signature;
    }
    /// To the next multiple of n, counted from the start.
    void align(uint64_t n) { skip((n - at_ % n) % n); }
    uint64_t left() const { return failed_ ? 0 : bytes_.size() - at_; }
    ByteSpan rest() { return take(left()); }
    bool failed() const { return failed_; }

private:
    ByteSpan bytes_;
    uint64_t at_ = 0;
    bool failed_ = false;
};

inline std::string_view textOf(ByteSpan bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace lathe::frontend::hdf5
