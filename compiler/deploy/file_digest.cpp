// SPDX-License-Identifier: Apache-2.0
#include "deploy/file_digest.h"

#include "driver/guarded.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace lathe::deploy {

std::optional<FileDigest> digestOf(const std::filesystem::path& path, bool plainOnly,
                                   const std::function<bool()>& cancelled) {
    // Not blocking: opening a pipe would wait for whoever writes into it.
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | (plainOnly ? O_NOFOLLOW : 0));
    if (file < 0)
        return std::nullopt;
    struct Closed {
        int file;
        ~Closed() { close(file); }
    } const closed{file};
    struct stat facts{};
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
        return std::nullopt;
    Sha256 hash;
    uint64_t bytes = 0;
    std::vector<std::byte> part(size_t{1} << 20);
    while (true) {
        if (cancelled && cancelled())
            throw driver::Cancelled{};
        const ssize_t got = read(file, part.data(), part.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return std::nullopt;
        if (got == 0)
            return FileDigest{hash.finish(), bytes};
        hash.add(std::span(part).first(static_cast<size_t>(got)));
        bytes += static_cast<uint64_t>(got);
    }
}

} // namespace lathe::deploy
