// SPDX-License-Identifier: Apache-2.0
#include "deploy/archive.h"

#include "base/guarded.h"
#include "deploy/file_digest.h"
#include "deploy/file_failure.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <cctype>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <set>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

constexpr size_t mostEntries = 200'000; // the files that a manifest may name, and folders

struct Free {
    void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
using Entry = std::unique_ptr<archive_entry, Free>;
struct FreeReader {
    void operator()(archive* reader) const { archive_read_free(reader); }
};
struct FreeWriter {
    void operator()(archive* writer) const { archive_write_free(writer); }
};

std::string wordsOf(archive* archive) {
    const char* words = archive_error_string(archive);
    return words ? words : "no reason is given";
}

bool endsIn(const fs::path& path, std::initializer_list<std::string_view> endings) {
    std::string name = path.filename().string();
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

/// What an archive is written to, and whether that failed.
struct Sink {
    NewFile file;
    bool failed = false;
};

/// Never fails towards libarchive, which leaks what it holds when a write does: who writes asks the sink itself.
la_ssize_t append(archive*, void* to, const void* bytes, size_t count) {
    auto* sink = static_cast<Sink*>(to);
    sink->failed = sink->failed || !sink->file.write({static_cast<const std::byte*>(bytes), count});
    return static_cast<la_ssize_t>(count);
}

/// Ready for entries; what it writes comes into the file.
std::unique_ptr<archive, FreeWriter> openWriter(const fs::path& out, Sink& sink) {
    std::unique_ptr<archive, FreeWriter> writer(archive_write_new());
    int status = ARCHIVE_OK;
    if (endsIn(out, {".zip"})) {
        status = std::min(archive_write_set_format_zip(writer.get()),
                          archive_write_set_options(writer.get(), "zip:compression=deflate"));
    } else {
        status = archive_write_set_format_ustar(writer.get());
        if (endsIn(out, {".zst"}))
            status = std::min({status, archive_write_add_filter_zstd(writer.get()),
                               archive_write_set_options(writer.get(), "zstd:compression-level=10")});
    }
    archive_write_set_bytes_in_last_block(writer.get(), 1);
    status = std::min(status, archive_write_open(writer.get(), &sink, nullptr, append, nullptr));
    LATHE_ASSERT(status == ARCHIVE_OK, "libarchive has these formats: " + wordsOf(writer.get()));
    return writer;
}

using ArchiveReader = std::unique_ptr<archive, FreeReader>;

/// For what bundles are packed by, and nothing else that libarchive knows. False: the reader has words of why not.
bool opens(archive* reader, const fs::path& packed) {
    archive_read_support_format_tar(reader);
    archive_read_support_format_zip(reader);
    archive_read_support_filter_zstd(reader);
    return archive_read_open_filename(reader, packed.c_str(), size_t{1} << 17) == ARCHIVE_OK;
}

} // namespace

bool isArchiveName(const fs::path& path) {
    return endsIn(path, {".tar", ".tar.zst", ".zip"});
}

bool isPlainTarName(const fs::path& path) {
    return endsIn(path, {".tar"});
}

bool isOtherArchiveName(const fs::path& path) {
    return !isArchiveName(path) &&
           endsIn(path, {".gz", ".tgz", ".xz", ".txz", ".bz2", ".tbz2", ".zst", ".tzst", ".lz4", ".7z", ".rar"});
}

bool isArchive(const fs::path& path) {
    const ArchiveReader reader(archive_read_new());
    archive_entry* entry = nullptr;
    return opens(reader.get(), path) && archive_read_next_header(reader.get(), &entry) == ARCHIVE_OK;
}

Result<void> writeArchive(const std::vector<PlannedFile>& files, const std::string& top, int64_t created,
                          const fs::path& out, const std::function<bool()>& cancelled,
                          const std::function<Result<void>()>& mayKeep) {
    Sink sink{.file{out, NewFile::Kind::Text}};
    const auto writer = openWriter(out, sink);
    for (const PlannedFile& planned : files) {
        std::error_code failed;
        const uint64_t bytes = planned.from.empty() ? planned.text.size() : fs::file_size(planned.from, failed);
        if (failed)
            return fileFailure(planned.from, "the file cannot be read");
        const Entry entry(archive_entry_new());
        archive_entry_set_pathname(entry.get(), (top.empty() ? planned.path : top + "/" + planned.path).c_str());
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), planned.program ? 0755 : 0644);
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes));
        // Times in .zip are those of a time zone: there is none.
        if (!endsIn(out, {".zip"}))
            archive_entry_set_mtime(entry.get(), created, 0);
        if (archive_write_header(writer.get(), entry.get()) != ARCHIVE_OK)
            return fileFailure(planned.path, "it cannot be part of the archive: " + wordsOf(writer.get()),
                               "write a folder");
        std::ifstream from;
        if (!planned.from.empty())
            from.open(planned.from, std::ios::binary);
        std::vector<char> part(planned.from.empty() ? 0 : filePartBytes);
        for (uint64_t written = 0; written < bytes;) {
            if (cancelled && cancelled())
                throw Cancelled{};
            std::string_view next(planned.text);
            if (!planned.from.empty()) {
                from.read(part.data(), static_cast<std::streamsize>(part.size()));
                next = {part.data(), static_cast<size_t>(from.gcount())};
            }
            if (next.empty() || next.size() > bytes - written)
                return fileFailure(planned.from, "the file changed while it was read", "try again");
            const la_ssize_t taken = archive_write_data(writer.get(), next.data(), next.size());
            LATHE_ASSERT(taken == static_cast<la_ssize_t>(next.size()),
                         "libarchive takes what it is given: " + wordsOf(writer.get()));
            if (sink.failed)
                return Failure(sink.file.problem());
            written += next.size();
        }
    }
    const int closed = archive_write_close(writer.get());
    LATHE_ASSERT(closed == ARCHIVE_OK, "libarchive ends what it began: " + wordsOf(writer.get()));
    if (mayKeep && !sink.failed)
        LATHE_CHECKED(mayKeep());
    if (sink.failed || !sink.file.keep())
        return Failure(sink.file.problem());
    return {};
}

Result<void> unpackArchive(const fs::path& packed, const fs::path& folder, uint64_t most,
                           const std::function<bool()>& cancelled) {
    const ArchiveReader reader(archive_read_new());
    const auto bad = [&](std::string what) {
        return fileFailure(packed, std::move(what), "copy the bundle again; lathe bundle makes such archives");
    };
    const auto damaged = [&] { return bad("the archive is damaged, or is none: " + wordsOf(reader.get())); };
    if (!opens(reader.get(), packed))
        return damaged();
    std::set<std::string> seen;
    std::string top;
    archive_entry* entry = nullptr;
    int status = ARCHIVE_OK;
    for (size_t entries = 0; (status = archive_read_next_header(reader.get(), &entry)) == ARCHIVE_OK; ++entries) {
        if (entries == mostEntries)
            return bad("it holds more files than a bundle may");
        const char* named = archive_entry_pathname(entry);
        std::string path = named ? named : "";
        if (path.ends_with('/'))
            path.pop_back();
        if (!isBundlePath(path))
            return bad("it names a file where none of a bundle may lie");
        const std::string first = path.substr(0, path.find('/'));
        const auto kind = archive_entry_filetype(entry);
        if (kind == AE_IFDIR && (top.empty() || top == first)) { // folders come with their files
            top = first;
            continue;
        }
        if (kind != AE_IFREG || archive_entry_hardlink(entry) || archive_entry_symlink(entry))
            return bad(fmt::format("'{}' is no plain file", path));
        if ((!top.empty() && top != first) || first == path || !seen.insert(path).second)
            return bad(fmt::format("'{}' lies beside the bundle, or stands there twice", path));
        top = first;
        const fs::path to = folder / path.substr(first.size() + 1);
        std::error_code failed;
        fs::create_directories(to.parent_path(), failed);
        NewFile file(to, archive_entry_perm(entry) & 0100 ? NewFile::Kind::Program : NewFile::Kind::Text);
        std::vector<std::byte> part(filePartBytes);
        la_ssize_t got = 0;
        // What a header says of the size is not asked: what comes out is counted.
        while ((got = archive_read_data(reader.get(), part.data(), part.size())) > 0) {
            if (cancelled && cancelled())
                throw Cancelled{};
            const auto bytes = static_cast<uint64_t>(got);
            if (bytes > most)
                return bad("it holds more than its manifest could say");
            most -= bytes;
            if (!file.write(std::span(part).first(bytes)))
                return Failure(file.problem());
        }
        if (got < 0)
            return damaged();
        if (!file.keep())
            return Failure(file.problem());
    }
    if (status != ARCHIVE_EOF)
        return damaged();
    return {};
}

} // namespace lathe::deploy
