// SPDX-License-Identifier: Apache-2.0
//
// The files that a model is made of where it is more than one: those of a folder, or of a zip archive. Names have '/' between
// folders and lead nowhere else: what a model's own files name as a path is looked up here, never in the file system. Who
// reads does so in one thread: what was found once is kept.
#pragma once

#include "base/file_identity.h"
#include "model/model_graph.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lathe::frontend {

class Members {
public:
    virtual ~Members() = default;
    /// Sorted. Fails for an archive that is damaged or holds a name twice (readers differ in which they take), and for more than
    /// limits::zipEntries.
    virtual Result<std::vector<std::string>> names() const = 0;
    /// The content of one. Fails for a name that there is none of, and for one that is too large: of a folder
    /// more than limits::modelFileBytes, of an archive more than a megabyte and than
    /// limits::zipExpansion times the archive.
    virtual Result<model::Bytes> read(const std::string& name) const = 0;
    /// Of a folder the files that were read so far, and what they were then; none of an archive, which is a file itself.
    virtual FileIdentities files() const { return {}; }
};

/// Links that lead out of the folder are left out.
std::shared_ptr<const Members> membersOfFolder(const std::filesystem::path& folder);
/// Null if the bytes do not begin as a zip archive.
std::shared_ptr<const Members> membersIn(const model::Bytes& file);

} // namespace lathe::frontend
