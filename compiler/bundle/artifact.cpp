// SPDX-License-Identifier: Apache-2.0
//
// Streams code, padding, constants and the trailer; no constant is held longer than it takes to write it.
#include "bundle/artifact.h"

#include "runtime/abi.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::bundle {
namespace {

constexpr int64_t alignment = 64, page = 4096;

struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

class TemporaryFile {
public:
    explicit TemporaryFile(const std::filesystem::path& wanted)
        : wanted_(wanted), path_(fmt::format("{}.{}.part", wanted.string(), getpid())) {
        file_.reset(std::fopen(path_.c_str(), "wb"));
    }
    ~TemporaryFile() {
        file_.reset();
        if (!kept_) {
            std::error_code ignored;
            std::filesystem::remove(path_, ignored);
        }
    }
    bool open() const { return file_ != nullptr; }
    bool write(std::span<const std::byte> bytes) {
        written_ += static_cast<int64_t>(bytes.size());
        return std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size();
    }
    bool padTo(int64_t position) {
        static constexpr std::byte zeros[page] = {};
        while (written_ < position)
            if (!write(std::span(zeros, static_cast<size_t>(std::min<int64_t>(page, position - written_)))))
                return false;
        return true;
    }
    int64_t position() const { return written_; }
    bool keep() {
        if (std::fflush(file_.get()) != 0)
            return false;
        file_.reset();
        chmod(path_.c_str(), 0755);
        std::error_code failed;
        std::filesystem::rename(path_, wanted_, failed);
        kept_ = !failed;
        return kept_;
    }

private:
    std::filesystem::path wanted_, path_;
    std::unique_ptr<std::FILE, Closer> file_;
    int64_t written_ = 0;
    bool kept_ = false;
};

} // namespace

int64_t ConstantLayout::add(int64_t bytes) {
    int64_t offset = size_;
    size_ = (size_ + bytes + alignment - 1) / alignment * alignment;
    return offset;
}

Result<void> writeArtifact(const std::filesystem::path& path, std::span<const std::byte> sharedObject,
                           const std::vector<ConstantSource>& constants) {
    TemporaryFile file(path);
    auto failed = [&] {
        return failure(fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)),
                       "check the folder, its permissions and the free space");
    };
    if (!file.open() || !file.write(sharedObject))
        return failed();
    int64_t start = (file.position() + page - 1) / page * page;
    if (!file.padTo(start))
        return failed();
    int64_t end = 0;
    for (const ConstantSource& constant : constants) {
        LATHE_ASSERT(constant.offset >= end, "constants are written in order of their offsets");
        if (!file.padTo(start + constant.offset))
            return failed();
        LATHE_TRY(auto pieces, constant.pieces());
        for (std::span<const std::byte> piece : pieces)
            if (!file.write(piece))
                return failed();
        end = constant.offset + constant.bytes;
        LATHE_ASSERT(file.position() == start + end, "a constant has the length that was planned for it");
    }
    lathe_trailer trailer{};
    trailer.offset = static_cast<uint64_t>(start);
    trailer.bytes = static_cast<uint64_t>(file.position() - start);
    std::memcpy(trailer.magic, LATHE_TRAILER_MAGIC, sizeof(trailer.magic));
    if (!file.write(std::as_bytes(std::span(&trailer, 1))) || !file.keep())
        return failed();
    return {};
}

} // namespace lathe::bundle
