// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/map_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::frontend {
namespace {

struct Mapping {
    void* address = nullptr;
    size_t size = 0;
    Mapping(void* at, size_t count) : address(at), size(count) {}
    Mapping(const Mapping&) = delete;
    ~Mapping() {
        if (size > 0)
            munmap(address, size);
    }
};

struct Descriptor {
    int number = -1;
    ~Descriptor() {
        if (number >= 0)
            close(number);
    }
};

} // namespace

Result<MappedFile> mapFile(const std::filesystem::path& path, int64_t limit) {
    // Not blocking: opening a pipe must not wait for its writer.
    const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.number < 0)
        return failure(fmt::format("the file cannot be opened: {}", std::strerror(errno)),
                       "check the path and its permissions");
    struct stat status{};
    if (fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode))
        return failure("this is not a regular file", "name the model file itself");
    if (status.st_size > limit)
        return failure(fmt::format("the file has {} bytes, more than the limit of {}", status.st_size, limit),
                       "store the weights as external data beside the model");
    const auto size = static_cast<size_t>(status.st_size);
    if (size == 0)
        return MappedFile{{}, identityOf(file.number)};
    void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (address == MAP_FAILED)
        return failure(fmt::format("the file cannot be mapped: {}", std::strerror(errno)), "free some memory");
    auto mapping = std::make_shared<Mapping>(address, size);
    return MappedFile{{mapping, {static_cast<const std::byte*>(address), size}}, identityOf(file.number)};
}

} // namespace lathe::frontend
