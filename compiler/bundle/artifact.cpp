// SPDX-License-Identifier: Apache-2.0
//
// Streams code, padding, constants and the trailer; no constant is held longer than it takes to write it.
#include "bundle/artifact.h"

#include "base/limits.h"
#include "base/rounding.h"
#include "runtime/abi.h"
#include "runtime/code_hash.h"
#include "runtime/limits.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <random>
#include <unistd.h>

namespace lathe::bundle {
namespace {

constexpr int64_t alignment = 64, page = 4096;
constexpr std::byte zeros[page] = {};

static_assert(limits::tensorElements == runtime::limits::tensorElements, "code counts on what the runtime checks");

/// A file that has no name until it is whole. Where the file system has no such files, one beside the wanted path, under
/// a name that nobody can guess. What stands at the wanted path and is no plain file (a link, a device, a file in memory by
/// its /proc path) is written through, not replaced.
class NewFile {
public:
    explicit NewFile(const std::filesystem::path& wanted) : wanted_(wanted) {
        std::error_code ignored;
        const std::filesystem::file_status there = std::filesystem::symlink_status(wanted, ignored);
        if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
            through_ = true;
            // A pipe that nobody reads is refused, not waited for.
            descriptor_ = open(wanted.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK);
            if (descriptor_ >= 0)
                fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
            return;
        }
        const std::filesystem::path folder = wanted.has_parent_path() ? wanted.parent_path() : ".";
        descriptor_ = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0777);
        if (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
            openNamed();
    }
    ~NewFile() {
        if (descriptor_ >= 0)
            close(descriptor_);
        if (!name_.empty())
            unlink(name_.c_str());
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    bool ok() const { return descriptor_ >= 0; }
    bool write(std::span<const std::byte> bytes) {
        written_ += static_cast<int64_t>(bytes.size());
        while (!bytes.empty()) {
            const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
            if (put < 0 && errno == EINTR)
                continue;
            if (put <= 0)
                return false;
            bytes = bytes.subspan(static_cast<size_t>(put));
        }
        return true;
    }
    bool padTo(int64_t position) {
        while (written_ < position)
            if (!write(std::span(zeros, static_cast<size_t>(std::min<int64_t>(page, position - written_)))))
                return false;
        return true;
    }
    int64_t position() const { return written_; }
    /// Gives the file its name, in place of what had it.
    bool keep() {
        if (through_)
            return true;
        if (name_.empty()) {
            if (linkTo(wanted_.string()))
                return true;
            if (errno != EEXIST || !linkToFresh())
                return false;
        }
        if (std::rename(name_.c_str(), wanted_.c_str()) != 0)
            return false;
        name_.clear();
        return true;
    }

private:
    void openNamed() {
        takeFreshName([&](const std::string& name) {
            descriptor_ = open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0777);
            return descriptor_ >= 0;
        });
    }
    bool linkTo(const std::string& name) const {
        const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
        return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }
    /// A link cannot replace a file, a rename can: the whole file gets a name of its own on the way.
    bool linkToFresh() {
        return takeFreshName([&](const std::string& name) { return linkTo(name); });
    }
    /// `take` must fail with EEXIST for a name that is taken.
    bool takeFreshName(const std::function<bool(const std::string&)>& take) {
        std::random_device random;
        for (int tries = 0; tries < 100; ++tries) {
            const std::string name = fmt::format("{}.{:08x}.part", wanted_.string(), random());
            if (take(name)) {
                name_ = name;
                return true;
            }
            if (errno != EEXIST)
                return false;
        }
        return false;
    }

    std::filesystem::path wanted_;
    std::string name_; // to be removed unless it is renamed; empty: the file has none
    int descriptor_ = -1;
    int64_t written_ = 0;
    bool through_ = false;
};

} // namespace

int64_t ConstantLayout::add(int64_t bytes) {
    int64_t offset = size_;
    size_ = roundUp(size_ + bytes, alignment);
    return offset;
}

Result<void> writeArtifact(const std::filesystem::path& path, std::span<const std::byte> sharedObject,
                           const std::vector<ConstantSource>& constants) {
    NewFile file(path);
    auto failed = [&] {
        return failure(fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)),
                       "check the folder, its permissions and the free space");
    };
    if (!file.ok() || !file.write(sharedObject))
        return failed();
    int64_t start = roundUp(file.position(), page);
    runtime::CodeHash hash; // of the padding too
    hash.add(sharedObject.data(), sharedObject.size());
    hash.add(zeros, static_cast<size_t>(start - file.position()));
    if (!file.padTo(start))
        return failed();
    int64_t end = 0;
    for (const ConstantSource& constant : constants) {
        LATHE_ASSERT(constant.offset >= end, "constants are written in order of their offsets");
        if (!file.padTo(start + constant.offset))
            return failed();
        LATHE_TRY(const std::span<const std::byte> content, constant.content());
        if (!file.write(content))
            return failed();
        end = constant.offset + constant.bytes;
        LATHE_ASSERT(file.position() == start + end, "a constant has the length that was planned for it");
    }
    lathe_trailer trailer{};
    trailer.offset = static_cast<uint64_t>(start);
    trailer.bytes = static_cast<uint64_t>(file.position() - start);
    trailer.code_hash = hash.finish();
    std::memcpy(trailer.magic, LATHE_TRAILER_MAGIC, sizeof(trailer.magic));
    if (!file.write(std::as_bytes(std::span(&trailer, 1))) || !file.keep())
        return failed();
    return {};
}

std::optional<Parts> partsOf(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    lathe_trailer trailer{};
    if (!file || file.tellg() < static_cast<std::streamoff>(sizeof(trailer)))
        return std::nullopt;
    file.seekg(-static_cast<std::streamoff>(sizeof(trailer)), std::ios::end);
    file.read(reinterpret_cast<char*>(&trailer), sizeof(trailer));
    if (!file || std::memcmp(trailer.magic, LATHE_TRAILER_MAGIC, sizeof(trailer.magic)) != 0)
        return std::nullopt;
    return Parts{.codeBytes = trailer.offset, .constantBytes = trailer.bytes, .codeHash = trailer.code_hash};
}

} // namespace lathe::bundle
