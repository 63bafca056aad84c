// SPDX-License-Identifier: Apache-2.0
//
// Buffers that notice what a kernel does beside them. Each lies between pages that nobody may touch, at the end of its own
// pages or at their start, so that what lies outside on that side is a fault at the first access; what is left of its pages
// is filled with bytes that can be looked at afterwards. Inputs are pages that nobody may write. So an access outside, and a
// write into an input, end the process, with exit codes of their own (protocol.h), instead of being lucky.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lathe::runtime::runner {

class GuardedMemory {
public:
    enum class Flush { End, Start };

    GuardedMemory() = default;
    ~GuardedMemory();
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;

    /// Of buffers made from now on.
    void setFlush(Flush flush) { flush_ = flush; }
    /// `alignment` is a power of two, 4096 at most; null if there is no memory. All bytes are 0xff, which floats are NaN of.
    void* allocate(size_t bytes, size_t alignment);
    void release(void* memory);
    /// The buffer's pages can only be read from now on.
    void protect(void* memory);
    /// Whether nothing was written in the buffer's pages beside its first `bytes` bytes. True of what lies elsewhere.
    bool isIntactBeside(const void* memory, size_t bytes) const;

private:
    struct Region {
        std::byte* data;           // the buffer
        std::byte *mapping, *end;  // with the pages that nobody may touch
        std::byte *first, *behind; // the buffer's pages
    };
    const Region* find(const void* memory) const;

    Flush flush_ = Flush::End;
    std::vector<Region> regions_;
};

/// From now on a fault by an access outside a buffer, or by a write into memory that can only be read, ends the process with
/// exitOutside or exitReadOnly; any other stays the signal that it is.
void exitAtFaults();

} // namespace lathe::runtime::runner
