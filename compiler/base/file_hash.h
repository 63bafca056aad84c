// SPDX-License-Identifier: Apache-2.0
//
// The hash of a file's content, by which people and project files tell whether a model is the one that it was.
#pragma once

#include "base/hash.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

namespace lathe {

/// hashBytes of the content of a plain file; nothing for what cannot be read, or is none, or once `cancelled` says so.
std::optional<Hash128> hashFile(const std::filesystem::path& path, const std::function<bool()>& cancelled = {});

struct PathContent {
    int64_t bytes = 0;
    Hash128 hash;
};

/// Of a model: of a plain file its size and hashFile, of a folder those of the plain files in it, at any depth, with their names
/// there. Links to folders are not followed. Nothing for what cannot be read, is neither, or has too many files
/// (limits::zipEntries), or once `cancelled` says so.
std::optional<PathContent> contentOf(const std::filesystem::path& path, const std::function<bool()>& cancelled = {});

} // namespace lathe
