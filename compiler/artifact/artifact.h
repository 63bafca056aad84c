// SPDX-License-Identifier: Apache-2.0
//
// Artifacts on disk: a shared object whose last segment holds the constants (abi/abi.h: lathe_trailer), or which has them in
// a file beside it. Written whole or not at all: a file gets its name when it is whole, so a process that is killed on the way
// leaves nothing behind.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace lathe::artifact {

/// Places constants one after another, each at a multiple of 64 bytes.
class ConstantLayout {
public:
    /// The offset of the next constant.
    int64_t add(int64_t bytes);
    int64_t size() const { return size_; }

private:
    int64_t size_ = 0;
};

/// Where a constant's bytes come from when the file is written: called once each, in order of offset.
struct ConstantSource {
    int64_t offset = 0;
    int64_t bytes = 0;
    std::function<Result<std::span<const std::byte>>()> content; // `bytes` long; valid until the next call
};

/// Where constants lie: in the artifact; or in NAME.weights beside NAME.so, for systems that sign code or limit its size, and for
/// artifacts that share them.
enum class ArtifactForm { OneFile, TwoFiles };

/// Writes what codegen::linkShared has linked, with its constants. A plain file at `path` is replaced; what else stands there
/// is written through: a base/memory_file.h by its path.
Result<void> writeArtifact(const std::filesystem::path& path, std::span<const std::byte> sharedObject,
                           const std::vector<ConstantSource>& constants, ArtifactForm form = ArtifactForm::OneFile);

/// The sizes of an artifact's parts, and a hash of its code; nothing for a file that is none. One that an older Lathe wrote is
/// one, of which nothing more is known: loading it says so.
struct Parts {
    uint64_t codeBytes = 0, constantBytes = 0, codeHash = 0;
};
std::optional<Parts> partsOf(const std::filesystem::path& path);

} // namespace lathe::artifact
