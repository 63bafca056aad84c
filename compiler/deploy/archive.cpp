// SPDX-License-Identifier: Apache-2.0
#include "deploy/archive.h"

#include "driver/guarded.h"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <set>
#include <zstd.h>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

constexpr size_t blockBytes = 512, partBytes = size_t{1} << 20;
constexpr int level = 10;
using Block = std::array<char, blockBytes>;

// Where fields stand in a header: POSIX.1-1988, ustar.
struct Field {
    size_t at, bytes;
};
constexpr Field nameField{0, 100}, modeField{100, 8}, ownerField{108, 8}, groupField{116, 8}, sizeField{124, 12},
    timeField{136, 12}, sumField{148, 8}, kindField{156, 1}, magicField{257, 8}, prefixField{345, 155};

void putNumber(Block& block, Field field, uint64_t value) {
    const std::string text = fmt::format("{:0{}o}", value, field.bytes - 1);
    std::memcpy(block.data() + field.at, text.data(), field.bytes - 1);
}

uint64_t sumOf(const Block& block) {
    uint64_t sum = 0;
    for (size_t i = 0; i < block.size(); ++i)
        sum += i >= sumField.at && i < sumField.at + sumField.bytes ? ' ' : static_cast<unsigned char>(block[i]);
    return sum;
}

/// Nothing for a path that ustar cannot hold.
std::optional<Block> headerOf(const std::string& path, uint64_t bytes, int64_t time, bool program) {
    Block block{};
    std::string name = path, prefix;
    if (name.size() > nameField.bytes) {
        const size_t cut = path.find('/', path.size() - nameField.bytes - 1);
        if (cut == std::string::npos || cut > prefixField.bytes)
            return std::nullopt;
        prefix = path.substr(0, cut);
        name = path.substr(cut + 1);
    }
    if (bytes >= uint64_t{1} << 33)
        return std::nullopt;
    std::memcpy(block.data() + nameField.at, name.data(), name.size());
    std::memcpy(block.data() + prefixField.at, prefix.data(), prefix.size());
    putNumber(block, modeField, program ? 0755 : 0644);
    putNumber(block, ownerField, 0);
    putNumber(block, groupField, 0);
    putNumber(block, sizeField, bytes);
    putNumber(block, timeField, static_cast<uint64_t>(time) & ((uint64_t{1} << 33) - 1));
    block[kindField.at] = '0';
    std::memcpy(block.data() + magicField.at,
                "ustar\0"
                "00",
                8);
    const std::string sum = fmt::format("{:06o}", sumOf(block));
    std::memcpy(block.data() + sumField.at, sum.data(), 6);
    block[sumField.at + 7] = ' ';
    return block;
}

Failure about(const fs::path& file, std::string what, std::string hint = {}) {
    Diagnostic problem = error(std::move(what), std::move(hint));
    problem.file = file.string();
    return Failure(std::move(problem));
}

/// What is put here comes into the file, compressed if that is wanted.
class Sink {
public:
    Sink(const fs::path& out, bool compressed) : file_(out, NewFile::Kind::Text) {
        if (!compressed)
            return;
        context_.reset(ZSTD_createCCtx());
        ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
        ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    }
    bool put(std::span<const std::byte> bytes) {
        return context_ ? compress(bytes, ZSTD_e_continue) : file_.write(bytes);
    }
    bool put(const Block& block) { return put(std::as_bytes(std::span(block))); }
    bool keep() { return (!context_ || compress({}, ZSTD_e_end)) && file_.keep(); }
    Diagnostic problem() const { return file_.problem(); }

private:
    struct Free {
        void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    };

    bool compress(std::span<const std::byte> bytes, ZSTD_EndDirective end) {
        ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
        std::vector<std::byte> part(ZSTD_CStreamOutSize());
        while (true) {
            ZSTD_outBuffer out{part.data(), part.size(), 0};
            const size_t left = ZSTD_compressStream2(context_.get(), &out, &in, end);
            LATHE_ASSERT(!ZSTD_isError(left), "zstd compresses anything");
            if (!file_.write(std::span(part).first(out.pos)))
                return false;
            if (in.pos == in.size && (end == ZSTD_e_continue || left == 0))
                return true;
        }
    }

    NewFile file_;
    std::unique_ptr<ZSTD_CCtx, Free> context_;
};

/// Bytes of an archive, decompressed as they are asked for.
class Source {
public:
    explicit Source(const fs::path& path) : file_(path, std::ios::binary) {
        char magic[4] = {};
        file_.read(magic, sizeof magic);
        if (file_ && std::memcmp(magic, "\x28\xb5\x2f\xfd", sizeof magic) == 0)
            context_.reset(ZSTD_createDCtx());
        file_.clear();
        file_.seekg(0);
    }
    /// False: they are not there, or are no good zstd.
    bool get(std::span<char> bytes) {
        if (!context_)
            return static_cast<bool>(file_.read(bytes.data(), static_cast<std::streamsize>(bytes.size())));
        ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
        while (out.pos < out.size) {
            if (in_.pos == in_.size) {
                file_.read(part_.data(), static_cast<std::streamsize>(part_.size()));
                in_ = {part_.data(), static_cast<size_t>(file_.gcount()), 0};
                if (in_.size == 0)
                    return false;
            }
            if (ZSTD_isError(ZSTD_decompressStream(context_.get(), &out, &in_)))
                return false;
        }
        return true;
    }

private:
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    std::ifstream file_;
    std::unique_ptr<ZSTD_DCtx, Free> context_;
    std::vector<char> part_ = std::vector<char>(size_t{1} << 17);
    ZSTD_inBuffer in_{};
};

std::string textOf(const Block& block, Field field) {
    const char* begin = block.data() + field.at;
    return {begin, strnlen(begin, field.bytes)};
}

/// Octal digits, padded by blanks or zero bytes; nothing for others.
std::optional<uint64_t> numberOf(const Block& block, Field field) {
    uint64_t value = 0;
    for (const char c : textOf(block, field)) {
        if (c == ' ')
            continue;
        if (c < '0' || c > '7' || value >> 60)
            return std::nullopt;
        value = value * 8 + static_cast<uint64_t>(c - '0');
    }
    return value;
}

} // namespace

bool isArchiveName(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.ends_with(".tar") || name.ends_with(".tar.zst");
}

Result<void> writeArchive(const std::vector<PlannedFile>& files, const std::string& top, int64_t created,
                          const fs::path& out, const std::function<bool()>& cancelled) {
    Sink sink(out, out.extension() == ".zst");
    constexpr std::byte zeros[blockBytes] = {};
    for (const PlannedFile& file : files) {
        std::error_code failed;
        const uint64_t bytes = file.from.empty() ? file.text.size() : fs::file_size(file.from, failed);
        const auto header = headerOf(top + "/" + file.path, bytes, created, file.program);
        if (failed)
            return about(file.from, "the file cannot be read");
        if (!header)
            return about(file.path, "the file is too large for an archive, or its path too long", "write a folder");
        if (!sink.put(*header))
            return Failure(sink.problem());
        uint64_t written = 0;
        std::ifstream from;
        if (!file.from.empty())
            from.open(file.from, std::ios::binary);
        std::vector<std::byte> part(file.from.empty() ? 0 : partBytes);
        while (written < bytes) {
            if (cancelled && cancelled())
                throw driver::Cancelled{};
            std::span<const std::byte> next =
                std::as_bytes(std::span(file.text)).subspan(file.from.empty() ? written : 0);
            if (!file.from.empty()) {
                from.read(reinterpret_cast<char*>(part.data()), static_cast<std::streamsize>(part.size()));
                next = std::span<const std::byte>(part).first(static_cast<size_t>(from.gcount()));
            }
            if (next.empty() || next.size() > bytes - written)
                return about(file.from, "the file changed while it was read", "try again");
            if (!sink.put(next))
                return Failure(sink.problem());
            written += next.size();
        }
        if (!sink.put(std::span(zeros).first((blockBytes - bytes % blockBytes) % blockBytes)))
            return Failure(sink.problem());
    }
    if (!sink.put(zeros) || !sink.put(zeros) || !sink.keep())
        return Failure(sink.problem());
    return {};
}

Result<void> unpackArchive(const fs::path& archive, const fs::path& folder, uint64_t most,
                           const std::function<bool()>& cancelled) {
    Source source(archive);
    std::set<std::string> seen;
    std::string top;
    Block block;
    const auto bad = [&](std::string what) {
        return about(archive, std::move(what), "copy the bundle again; lathe bundle makes such archives");
    };
    while (true) {
        if (!source.get(block))
            return bad("the archive is damaged, or ends too early");
        if (block == Block{})
            break;
        const auto sum = numberOf(block, sumField), bytes = numberOf(block, sizeField),
                   mode = numberOf(block, modeField);
        if (!sum || !bytes || !mode || *sum != sumOf(block))
            return bad("this is no tar archive, or a damaged one");
        const std::string prefix = textOf(block, prefixField), name = textOf(block, nameField);
        std::string path = prefix.empty() ? name : prefix + "/" + name;
        const char kind = block[kindField.at];
        if (path.ends_with('/'))
            path.pop_back();
        if (!isBundlePath(path))
            return bad("it names a file where none of a bundle may lie");
        const std::string first = path.substr(0, path.find('/'));
        if (kind == '5' && (top.empty() || top == first)) { // folders come with their files
            top = first;
            continue;
        }
        if (kind != '0' && kind != '\0')
            return bad(fmt::format("'{}' is no plain file", path));
        if ((!top.empty() && top != first) || first == path || !seen.insert(path).second)
            return bad(fmt::format("'{}' lies beside the bundle, or stands there twice", path));
        top = first;
        if (*bytes > most)
            return bad("it holds more than its manifest could say");
        most -= *bytes;
        const fs::path to = folder / path.substr(first.size() + 1);
        std::error_code failed;
        fs::create_directories(to.parent_path(), failed);
        NewFile file(to, *mode & 0100 ? NewFile::Kind::Program : NewFile::Kind::Text);
        std::vector<char> part(partBytes);
        for (uint64_t left = *bytes; left > 0;) {
            if (cancelled && cancelled())
                throw driver::Cancelled{};
            const std::span<char> next = std::span(part).first(std::min<uint64_t>(left, part.size()));
            if (!source.get(next))
                return bad("the archive ends too early");
            if (!file.write(std::as_bytes(next)))
                return Failure(file.problem());
            left -= next.size();
        }
        if (!file.keep())
            return Failure(file.problem());
        if (const size_t rest = (blockBytes - *bytes % blockBytes) % blockBytes;
            rest && !source.get(std::span(block).first(rest)))
            return bad("the archive ends too early");
    }
    return {};
}

} // namespace lathe::deploy
