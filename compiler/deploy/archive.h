// SPDX-License-Identifier: Apache-2.0
//
// A bundle in one file: a tar archive (POSIX ustar), compressed by zstd where its name says so, or a zip archive, which any
// system unpacks. libarchive reads and writes them. The same files give the same bytes: one time for all (none in .zip, where
// times are those of a time zone), no owner, no machine. Reading is for archives that anybody may have made: what is not a plain
// file or folder under a good path (isBundlePath) is refused, and no more is written than was allowed.
#pragma once

#include "base/new_file.h"
#include "deploy/bundle_plan.h"

#include <functional>

namespace lathe::deploy {

/// Whether a file of this name is an archive: .tar, .tar.zst or .zip, in letters of either case.
bool isArchiveName(const std::filesystem::path& path);

/// Whether it is one of them that nothing compresses: .tar.
bool isPlainTarName(const std::filesystem::path& path);

/// Whether a name is that of an archive of another kind, such as .tar.gz: there is no bundle of that kind.
bool isOtherArchiveName(const std::filesystem::path& path);

/// Whether what is in a file begins as an archive does. Not for pipes, which it would wait for.
bool isArchive(const std::filesystem::path& path);

/// Writes the files of the plan below the folder `top`, if it has a name, each with this time. `mayKeep`, if there is one, is asked
/// before the archive gets its name. Fails with the file that could not be read or written. Throws Cancelled
/// (base/guarded.h).
Result<void> writeArchive(const std::vector<PlannedFile>& files, const std::string& top, int64_t created,
                          const std::filesystem::path& out, const std::function<bool()>& cancelled,
                          const std::function<Result<void>()>& mayKeep = {});

/// Unpacks into `folder`, which is there and empty, without the archive's one top folder. At most so many bytes.
Result<void> unpackArchive(const std::filesystem::path& archive, const std::filesystem::path& folder, uint64_t most,
                           const std::function<bool()>& cancelled);

} // namespace lathe::deploy
