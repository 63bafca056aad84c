// SPDX-License-Identifier: Apache-2.0
#include "deploy/file_digest.h"

#include "base/guarded.h"
#include "base/limits.h"
#include "base/sha1.h"

#include <cerrno>
#include <fcntl.h>
#include <map>
#include <span>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace lathe::deploy {

namespace {

/// All of a plain file, part by part; false: it cannot be read.
bool readParts(const std::filesystem::path& path, const std::function<bool()>& cancelled,
               const std::function<void(std::span<const std::byte>)>& take) {
    // Not blocking: opening a pipe would wait for whoever writes into it.
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    struct Closed {
        int file;
        ~Closed() { close(file); }
    } const closed{file};
    struct stat facts{};
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    std::vector<std::byte> part(filePartBytes);
    while (true) {
        if (cancelled && cancelled())
            throw Cancelled{};
        const ssize_t got = read(file, part.data(), part.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            return true;
        take(std::span(part).first(static_cast<size_t>(got)));
    }
}

} // namespace

std::optional<FileDigest> digestOf(const std::filesystem::path& path, const std::function<bool()>& cancelled) {
    Sha256 hash;
    uint64_t bytes = 0;
    if (!readParts(path, cancelled, [&](std::span<const std::byte> part) {
            hash.add(part);
            bytes += part.size();
        }))
        return std::nullopt;
    return FileDigest{hash.finish(), bytes};
}

std::optional<FileDigest> digestOfModel(const std::filesystem::path& path, const std::function<bool()>& cancelled) {
    namespace fs = std::filesystem;
    std::error_code failed, unknown;
    if (!fs::is_directory(path, unknown))
        return digestOf(path, cancelled);
    std::map<std::string, fs::path> files;
    for (fs::recursive_directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed)) {
        if (files.size() > limits::zipEntries)
            return std::nullopt;
        if (at->is_regular_file(unknown))
            files.emplace(at->path().lexically_relative(path).generic_string(), at->path());
    }
    if (failed)
        return std::nullopt;
    Sha256 lines;
    uint64_t bytes = 0;
    for (const auto& [name, file] : files) {
        const auto digest = digestOf(file, cancelled);
        if (!digest)
            return std::nullopt;
        const std::string line = digest->sha256 + "  " + name + "\n";
        lines.add(std::as_bytes(std::span(line)));
        bytes += digest->bytes;
    }
    return FileDigest{lines.finish(), bytes};
}

std::optional<std::string> sha1Of(const std::filesystem::path& path, const std::function<bool()>& cancelled) {
    Sha1 hash;
    if (!readParts(path, cancelled, [&](std::span<const std::byte> part) { hash.add(part); }))
        return std::nullopt;
    return hash.finish();
}

} // namespace lathe::deploy
