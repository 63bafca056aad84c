// SPDX-License-Identifier: Apache-2.0
//
// mmap, mprotect, and what a fault says of itself. Large buffers get huge pages, as those of runtime/memory.cpp do, so that
// times are what they are elsewhere.
#include "runtime/runner/guarded_memory.h"

#include "runtime/memory.h"
#include "runtime/runner/protocol.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

namespace lathe::runtime::runner {
namespace {

constexpr size_t untouchable = size_t{1} << 20; // on either side: rows of an image that lie outside count as well
constexpr int filler = 0xff;

/// What memory is protected by: 4, 16 or 64 KiB.
size_t pageSize() {
    static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

size_t roundUp(size_t value, size_t unit) {
    return (value + unit - 1) / unit * unit;
}

std::byte* roundDown(std::byte* address, size_t unit) {
    return address - reinterpret_cast<uintptr_t>(address) % unit;
}

bool isReadable(void* address) {
    std::byte byte{};
    const iovec to{&byte, 1}, from{address, 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

/// Memory that is there and refuses: a page that nobody may touch, or one that can only be read.
void onFault(int signal, siginfo_t* info, void*) {
    if (signal == SIGSEGV && info->si_code == SEGV_ACCERR)
        _exit(isReadable(info->si_addr) ? protocol::exitReadOnly : protocol::exitOutside);
    std::signal(signal, SIG_DFL); // and the access comes again
}

} // namespace

GuardedMemory::~GuardedMemory() {
    for (const Region& region : regions_)
        munmap(region.mapping, static_cast<size_t>(region.end - region.mapping));
}

void* GuardedMemory::allocate(size_t bytes, size_t alignment) {
    bytes = std::max<size_t>(roundUp(bytes, alignment), alignment);
    const size_t page = pageSize();
    const size_t unit = bytes >= 2 * hugePage ? hugePage : page;
    const size_t room = roundUp(bytes, unit), all = room + 2 * untouchable + unit;
    if (bytes > all)
        return nullptr; // it wrapped
    void* mapped = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
        return nullptr;
    Region region{};
    region.mapping = static_cast<std::byte*>(mapped);
    region.end = region.mapping + all;
    std::byte* const begin = roundDown(region.mapping + untouchable + unit - 1, unit);
    region.data = flush_ == Flush::Start ? begin : begin + room - bytes;
    region.first = roundDown(region.data, page);
    region.behind = roundDown(region.data + bytes + page - 1, page);
    const auto own = static_cast<size_t>(region.behind - region.first);
    if (mprotect(region.first, own, PROT_READ | PROT_WRITE) != 0) {
        munmap(mapped, all);
        return nullptr;
    }
    if (unit == hugePage)
        madvise(region.first, own, MADV_HUGEPAGE);
    std::memset(region.first, filler, own);
    try {
        regions_.push_back(region);
    } catch (const std::bad_alloc&) { // which must not go through the code that asks for memory
        munmap(mapped, all);
        return nullptr;
    }
    return region.data;
}

void GuardedMemory::release(void* memory) {
    const Region* region = find(memory);
    if (!region)
        return;
    munmap(region->mapping, static_cast<size_t>(region->end - region->mapping));
    regions_.erase(regions_.begin() + (region - regions_.data()));
}

void GuardedMemory::protect(void* memory) {
    if (const Region* region = find(memory))
        mprotect(region->first, static_cast<size_t>(region->behind - region->first), PROT_READ);
}

bool GuardedMemory::isIntactBeside(const void* memory, size_t bytes) const {
    const Region* region = find(memory);
    const auto isFiller = [](std::byte byte) { return byte == std::byte{filler}; };
    return !region || (std::all_of(region->first, region->data, isFiller) &&
                       std::all_of(std::min(region->data + bytes, region->behind), region->behind, isFiller));
}

const GuardedMemory::Region* GuardedMemory::find(const void* memory) const {
    const auto found =
        std::ranges::find(regions_, memory, [](const Region& region) -> const void* { return region.data; });
    return found == regions_.end() ? nullptr : &*found;
}

void exitAtFaults() {
    struct sigaction action{};
    action.sa_sigaction = onFault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
}

} // namespace lathe::runtime::runner
