// SPDX-License-Identifier: Apache-2.0
//
// Files of models are mapped, not read: weights are taken from the mapping when they are needed, and shared by all who
// point into them.
#pragma once

#include "base/file_identity.h"
#include "base/result.h"
#include "model/model_graph.h"

#include <filesystem>

namespace lathe::frontend {

struct MappedFile {
    model::Bytes bytes;
    FileIdentity identity;
};

/// A file mapped for reading. Of others than regular files, one is taken: standard input, as "-" or /dev/stdin, which is read to
/// its end once in a process and kept. Fails for the rest, which might never end, and for what is above `limit` bytes.
Result<MappedFile> mapFile(const std::filesystem::path& path, int64_t limit);

} // namespace lathe::frontend
