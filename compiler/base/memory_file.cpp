// SPDX-License-Identifier: Apache-2.0
#include "base/memory_file.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace lathe {

MemoryFile::MemoryFile(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

MemoryFile::~MemoryFile() {
    if (descriptor_ >= 0)
        close(descriptor_);
}

Result<void> MemoryFile::append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return failure(fmt::format("cannot hold a file in memory: {}", std::strerror(errno)),
                           "free some memory, or raise the limit of open files");
        bytes = bytes.subspan(static_cast<size_t>(written));
    }
    return {};
}

std::filesystem::path MemoryFile::path() const {
    return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_);
}

} // namespace lathe
