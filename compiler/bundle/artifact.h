// SPDX-License-Identifier: Apache-2.0
//
// Artifacts on disk: a shared object with the constants behind the code (runtime/abi.h: lathe_trailer). Written whole or
// not at all: the file gets its name when it is whole, so a process that is killed on the way leaves nothing behind.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace lathe::bundle {

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

/// A plain file at `path` is replaced; what else stands there is written through: a base/memory_file.h by its path.
Result<void> writeArtifact(const std::filesystem::path& path, std::span<const std::byte> sharedObject,
                           const std::vector<ConstantSource>& constants);

/// The sizes of an artifact's parts, and a hash of its code; nothing for a file that is none.
struct Parts {
    uint64_t codeBytes = 0, constantBytes = 0, codeHash = 0;
};
std::optional<Parts> partsOf(const std::filesystem::path& path);

} // namespace lathe::bundle
