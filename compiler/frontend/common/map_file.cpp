// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/map_file.h"

#include <fmt/format.h>

#include <algorithm>
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

Failure tooLarge(int64_t bytes, int64_t limit) {
    return failure(ErrorKind::Unsupported,
                   fmt::format("the file has {} bytes, more than the limit of {}", bytes, limit),
                   "store the weights as external data beside the model");
}

Result<model::Bytes> readStandardInput(int64_t limit) {
    constexpr size_t atOnce = size_t{1} << 20;
    const auto bytes = std::make_shared<std::vector<std::byte>>();
    std::vector<std::byte> part(atOnce);
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, part.data(), part.size());
        bytes->insert(bytes->end(), part.begin(), part.begin() + std::max<ssize_t>(got, 0));
        if (got < 0 && errno != EINTR)
            return failure(fmt::format("standard input cannot be read: {}", std::strerror(errno)));
        if (static_cast<int64_t>(bytes->size()) > limit)
            return tooLarge(static_cast<int64_t>(bytes->size()), limit);
        if (got == 0)
            return model::Bytes{bytes, *bytes};
    }
}

/// Whether this is what the process was given for its input, and not somebody who types.
bool isStandardInput(const struct stat& status) {
    struct stat input{};
    return fstat(STDIN_FILENO, &input) == 0 && input.st_dev == status.st_dev && input.st_ino == status.st_ino &&
           (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

} // namespace

Result<MappedFile> mapFile(const std::filesystem::path& path, int64_t limit) {
    // Not blocking: opening a pipe must not wait for its writer.
    const Descriptor file{path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                      : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.number < 0)
        return failure(fmt::format("the file cannot be opened: {}", std::strerror(errno)),
                       "check the path and its permissions");
    struct stat status{};
    const bool isThere = fstat(file.number, &status) == 0;
    if (isThere && isStandardInput(status)) {
        static const Result<model::Bytes> input = readStandardInput(limit); // which comes once
        LATHE_TRY(const model::Bytes bytes, input);
        return MappedFile{bytes, identityOf(file.number)};
    }
    if (!isThere || !S_ISREG(status.st_mode))
        return failure("this is not a regular file", "name the model file itself");
    if (status.st_size > limit)
        return tooLarge(status.st_size, limit);
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
