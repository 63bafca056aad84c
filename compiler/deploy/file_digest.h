// SPDX-License-Identifier: Apache-2.0
//
// What a bundle says of a file: its size and its SHA-256.
#pragma once

#include "base/sha256.h"

#include <filesystem>
#include <functional>
#include <optional>

namespace lathe::deploy {

/// Files are read in parts of so many bytes.
inline constexpr size_t filePartBytes = size_t{1} << 20;

struct FileDigest {
    std::string sha256;
    uint64_t bytes = 0;
    bool operator==(const FileDigest&) const = default;
};
/// Of a plain file; nothing for what cannot be read or is none. Throws Cancelled (base/guarded.h) if `cancelled`, which may
/// be empty, says so.
std::optional<FileDigest> digestOf(const std::filesystem::path& path, const std::function<bool()>& cancelled = {});
/// Of a model: as digestOf, and where it is a folder of the lines "SHA-256  NAME" of all files in it, by name.
std::optional<FileDigest> digestOfModel(const std::filesystem::path& path, const std::function<bool()>& cancelled = {});
/// Of a plain file; nothing for what cannot be read. As digestOf.
std::optional<std::string> sha1Of(const std::filesystem::path& path, const std::function<bool()>& cancelled = {});

} // namespace lathe::deploy
