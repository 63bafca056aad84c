// SPDX-License-Identifier: Apache-2.0
#include "data/zip_file.h"

#include "base/limits.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <locale.h>

namespace lathe::data {
namespace {

constexpr size_t partBytes = size_t{1} << 17;

/// While it lives libarchive has names as UTF-8, in this thread: it gives none that the locale lacks.
class Utf8Names {
public:
    Utf8Names() : utf8_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)), before_(uselocale(utf8_)) {}
    ~Utf8Names() {
        uselocale(before_);
        if (utf8_)
            freelocale(utf8_);
    }
    Utf8Names(const Utf8Names&) = delete;
    Utf8Names& operator=(const Utf8Names&) = delete;

private:
    locale_t utf8_, before_;
};

} // namespace

struct ZipFile::Reader {
    archive* reading = archive_read_new();
    bool opened = false;

    Reader() { archive_read_support_format_zip(reading); }
    ~Reader() { archive_read_free(reading); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    Failure damaged() const {
        const char* words = archive_error_string(reading);
        return failure(fmt::format("the archive is damaged: {}", words ? words : "no reason is given"),
                       "copy it again, or make it again");
    }
};

ZipFile::ZipFile(const std::filesystem::path& path) : reader_(std::make_unique<Reader>()) {
    reader_->opened = archive_read_open_filename(reader_->reading, path.c_str(), partBytes) == ARCHIVE_OK;
}

ZipFile::ZipFile(std::span<const std::byte> bytes) : reader_(std::make_unique<Reader>()) {
    reader_->opened = archive_read_open_memory(reader_->reading, bytes.data(), bytes.size()) == ARCHIVE_OK;
}

ZipFile::~ZipFile() = default;
ZipFile::ZipFile(ZipFile&&) noexcept = default;

Result<bool> ZipFile::next() {
    const Utf8Names names;
    archive_entry* entry = nullptr;
    int status = reader_->opened ? ARCHIVE_OK : ARCHIVE_FATAL;
    while (status == ARCHIVE_OK && (status = archive_read_next_header(reader_->reading, &entry)) == ARCHIVE_OK) {
        if (++entries_ > limits::zipEntries)
            return failure(ErrorKind::Unsupported, fmt::format("it holds more than {} files", limits::zipEntries),
                           "make an archive of what is needed alone");
        const char* named = archive_entry_pathname_utf8(entry);
        name_ = named ? named : "";
        if (archive_entry_filetype(entry) == AE_IFREG)
            return true;
    }
    if (status != ARCHIVE_EOF)
        return reader_->damaged();
    return false;
}

Result<std::string> ZipFile::read(uint64_t most) {
    std::string content, part(partBytes, '\0');
    la_ssize_t got = 0;
    while ((got = archive_read_data(reader_->reading, part.data(), part.size())) > 0) {
        if (content.size() + static_cast<size_t>(got) > most)
            return failure(ErrorKind::Unsupported, fmt::format("'{}' has more than {} bytes", name_, most),
                           "store what is so large in a file of its own");
        content.append(part, 0, static_cast<size_t>(got));
    }
    if (got < 0)
        return reader_->damaged();
    return content;
}

} // namespace lathe::data
