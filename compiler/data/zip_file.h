// SPDX-License-Identifier: Apache-2.0
//
// Files in a zip archive that anybody may have made: compressed or not, read by libarchive one after the other. What the archive
// says of sizes is not believed: a file takes memory only as far as it has come out, and no more than its reader allows, so that
// a small archive cannot fill the memory.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace lathe::data {

/// Bytes with which a zip archive begins.
inline constexpr std::string_view zipMagic{"PK\x03\x04", 4};

class ZipFile {
public:
    /// A file that cannot be opened is a fault of the first call of next().
    explicit ZipFile(const std::filesystem::path& path);
    /// bytes: of the whole archive, which outlive this.
    explicit ZipFile(std::span<const std::byte> bytes);
    ~ZipFile();
    ZipFile(ZipFile&&) noexcept;

    /// Goes to the next regular file. False: there is none. Fails where the archive is damaged, or has more than
    /// limits::zipEntries.
    Result<bool> next();
    /// Of the one that it went to, with '/' between folders.
    const std::string& name() const { return name_; }
    /// Its content. Fails where that has more than `most` bytes (kind Unsupported), or is damaged.
    Result<std::string> read(uint64_t most);

private:
    struct Reader;
    std::unique_ptr<Reader> reader_;
    std::string name_;
    size_t entries_ = 0;
};

} // namespace lathe::data
