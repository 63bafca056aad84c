// SPDX-License-Identifier: Apache-2.0
//
// Where a context's memory comes from: an allocator with a limit, a buffer that grows and is kept between runs, and the
// arena, a stack of 64-byte aligned pieces. After the first run at the same sizes none of them allocates.
// Used by one thread at a time; nothing throws.
#pragma once

#include "runtime/lathe_rt.h"
#include "runtime/limits.h"

#include <cstdint>

namespace lathe::runtime {

inline constexpr int64_t memoryAlignment = 64;
inline constexpr int64_t hugePage = int64_t{2} << 20; // twice as much and more is aligned to them

/// Counts what it gives out and refuses to go over the limit.
class Memory {
public:
    Memory(void* (*allocate)(void*, size_t, size_t), void (*release)(void*, void*, size_t), void* user, int64_t limit);

    /// Memory of at least `bytes` (rounded up to 64, at least 64), or null; then refused() says how many.
    void* allocate(int64_t bytes);
    /// `bytes` as they were asked for; null is allowed.
    void release(void* memory, int64_t bytes);

    int64_t used() const { return used_; }
    /// Size of the last request that was refused; 0 if none was since clearRefused.
    int64_t refused() const { return refused_; }
    void clearRefused() { refused_ = 0; }
    /// For memory that is refused for another reason than its size.
    void noteRefused(int64_t bytes) { refused_ = bytes; }

private:
    void* (*allocate_)(void*, size_t, size_t);
    void (*release_)(void*, void*, size_t);
    void* user_;
    int64_t limit_;
    int64_t used_ = 0;
    int64_t refused_ = 0;
};

/// One piece of memory that grows and never shrinks.
class GrowingBuffer {
public:
    explicit GrowingBuffer(Memory& memory) : memory_(&memory) {}
    ~GrowingBuffer();
    GrowingBuffer(GrowingBuffer&& other) noexcept;
    GrowingBuffer(const GrowingBuffer&) = delete;
    GrowingBuffer& operator=(const GrowingBuffer&) = delete;

    /// At least `bytes`; contents are lost when it grows. Null when out of memory: the buffer is then empty.
    void* reserve(int64_t bytes);
    /// The same, but keeps the contents, and grows by half at least, so that growing by steps copies each byte a few times.
    /// When out of memory it stays as it is.
    void* grow(int64_t bytes);
    const void* data() const { return data_; }
    int64_t capacity() const { return capacity_; }

private:
    Memory* memory_;
    void* data_ = nullptr;
    int64_t capacity_ = 0;
};

/// A stack of pieces in a few chunks. Positions are logical: they go on from one chunk to the next.
class Arena {
public:
    explicit Arena(Memory& memory) : memory_(memory) {}
    ~Arena() { releaseChunks(); }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    void* push(int64_t bytes);
    int64_t mark() const;
    /// Gives back all that was pushed since `mark`; a mark that does not exist is ignored.
    void release(int64_t mark);

    void startRun();
    /// If the run needed several chunks, the next one gets one that holds as much as this run used at most.
    void endRun();
    int64_t peak() const { return peak_; }
    int64_t reserved() const;

private:
    struct Chunk {
        char* data;
        int64_t capacity;
        int64_t base; // logical position of its first byte
        int64_t used;
    };

    bool addChunk(int64_t bytes);
    void releaseChunks();

    Memory& memory_;
    Chunk chunks_[limits::arenaChunks];
    int count_ = 0;
    int current_ = -1;
    int64_t peak_ = 0;
};

} // namespace lathe::runtime
