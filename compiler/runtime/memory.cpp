// SPDX-License-Identifier: Apache-2.0
//
// Allocation of a context's memory. Large pieces ask the system for huge pages, which saves most of the page faults.
#include "runtime/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace lathe::runtime {

namespace {

int64_t roundUp(int64_t bytes) {
    return std::max(memoryAlignment, (bytes + memoryAlignment - 1) / memoryAlignment * memoryAlignment);
}

void* systemAllocate(void*, size_t bytes, size_t alignment) {
    const bool huge = bytes >= 2 * static_cast<size_t>(hugePage);
    const size_t aligned = huge ? static_cast<size_t>(hugePage) : alignment;
    void* memory = nullptr;
    if (posix_memalign(&memory, aligned, bytes) != 0)
        return nullptr;
#if defined(__linux__)
    if (huge)
        madvise(memory, bytes / aligned * aligned, MADV_HUGEPAGE);
#endif
    return memory;
}

void systemRelease(void*, void* memory, size_t) {
    std::free(memory);
}

} // namespace

Memory::Memory(void* (*allocate)(void*, size_t, size_t), void (*release)(void*, void*, size_t), void* user,
               int64_t limit)
    : allocate_(allocate ? allocate : systemAllocate), release_(release ? release : systemRelease), user_(user),
      limit_(limit > 0 ? limit : limits::pieceBytes) {}

void* Memory::allocate(int64_t bytes) {
    if (bytes < 0 || bytes > limits::pieceBytes || roundUp(bytes) > limit_ - used_) {
        refused_ = bytes;
        return nullptr;
    }
    void* memory = allocate_(user_, static_cast<size_t>(roundUp(bytes)), memoryAlignment);
    if (!memory) {
        refused_ = bytes;
        return nullptr;
    }
    used_ += roundUp(bytes);
    return memory;
}

void Memory::release(void* memory, int64_t bytes) {
    if (!memory)
        return;
    release_(user_, memory, static_cast<size_t>(roundUp(bytes)));
    used_ -= roundUp(bytes);
}

GrowingBuffer::~GrowingBuffer() {
    memory_->release(data_, capacity_);
}

GrowingBuffer::GrowingBuffer(GrowingBuffer&& other) noexcept
    : memory_(other.memory_), data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {
}

void* GrowingBuffer::reserve(int64_t bytes) {
    if (data_ && bytes >= 0 && bytes <= capacity_)
        return data_;
    memory_->release(data_, capacity_);
    data_ = nullptr;
    capacity_ = 0;
    data_ = memory_->allocate(bytes);
    if (data_)
        capacity_ = bytes;
    return data_;
}

void* GrowingBuffer::grow(int64_t bytes) {
    if (data_ && bytes >= 0 && bytes <= capacity_)
        return data_;
    int64_t capacity = std::max(bytes, capacity_ + capacity_ / 2);
    void* data = bytes < 0 ? nullptr : memory_->allocate(capacity);
    if (!data && capacity > bytes)
        data = memory_->allocate(capacity = bytes);
    if (!data)
        return nullptr;
    if (data_)
        std::memcpy(data, data_, static_cast<size_t>(capacity_));
    memory_->release(data_, capacity_);
    data_ = data;
    capacity_ = capacity;
    memory_->clearRefused();
    return data_;
}

void* Arena::push(int64_t bytes) {
    if (bytes < 0 || bytes > limits::pieceBytes) {
        memory_.noteRefused(bytes);
        return nullptr;
    }
    bytes = roundUp(bytes);
    while (current_ < 0 || bytes > chunks_[current_].capacity - chunks_[current_].used) {
        // Chunks above the current one are empty: use the next if it is large enough, else put another in its place.
        const int64_t base = mark();
        if (current_ + 1 == count_ && !addChunk(bytes))
            return nullptr;
        Chunk& next = chunks_[current_ + 1];
        if (next.capacity < bytes) {
            while (count_ > current_ + 1) {
                --count_;
                memory_.release(chunks_[count_].data, chunks_[count_].capacity);
            }
            continue;
        }
        ++current_;
        next.base = base;
        next.used = 0;
    }
    Chunk& chunk = chunks_[current_];
    char* result = chunk.data + chunk.used;
    chunk.used += bytes;
    peak_ = std::max(peak_, chunk.base + chunk.used);
    return result;
}

int64_t Arena::mark() const {
    return current_ < 0 ? 0 : chunks_[current_].base + chunks_[current_].used;
}

void Arena::release(int64_t mark) {
    if (mark < 0 || mark > this->mark())
        return;
    while (current_ > 0 && chunks_[current_].base > mark) {
        chunks_[current_].used = 0;
        --current_;
    }
    if (current_ >= 0)
        chunks_[current_].used = mark - chunks_[current_].base;
}

void Arena::startRun() {
    current_ = count_ > 0 ? 0 : -1;
    for (int i = 0; i < count_; ++i)
        chunks_[i].base = chunks_[i].used = 0;
    peak_ = 0;
}

void Arena::endRun() {
    if (count_ <= 1)
        return;
    releaseChunks();
    // A refusal is no error: the next run allocates as it goes.
    addChunk(peak_);
    memory_.clearRefused();
}

int64_t Arena::reserved() const {
    int64_t sum = 0;
    for (int i = 0; i < count_; ++i)
        sum += chunks_[i].capacity;
    return sum;
}

bool Arena::addChunk(int64_t bytes) {
    if (count_ == limits::arenaChunks) {
        memory_.noteRefused(bytes);
        return false;
    }
    // A larger chunk than asked for saves further ones, but a memory limit may have room for no more than asked.
    int64_t capacity = std::max(bytes, reserved() / 2);
    char* data = static_cast<char*>(memory_.allocate(capacity));
    if (!data && capacity > bytes) {
        capacity = bytes;
        data = static_cast<char*>(memory_.allocate(capacity));
    }
    if (!data)
        return false;
    memory_.clearRefused();
    chunks_[count_++] = {data, capacity, 0, 0};
    return true;
}

void Arena::releaseChunks() {
    for (int i = 0; i < count_; ++i)
        memory_.release(chunks_[i].data, chunks_[i].capacity);
    count_ = 0;
    current_ = -1;
}

} // namespace lathe::runtime
