// SPDX-License-Identifier: Apache-2.0
//
// Compiled kernels on disk, by the hash of all they are made of: lowered text, target, code generator. The folder is
// bounded: what was not used for the longest time goes first. It never hurts: a missing, unwritable, full or damaged
// folder only means that nothing is kept.
#pragma once

#include "codegen/codegen.h"
#include "tir/ir.h"

#include <atomic>
#include <filesystem>
#include <optional>
#include <vector>

namespace lathe::driver {

/// $LATHE_CACHE, else $XDG_CACHE_HOME/lathe, else ~/.cache/lathe; empty if there is none of them.
std::filesystem::path cacheFolder();

struct CacheContent {
    int64_t kernels = 0, bytes = 0;
};
/// Of the cache folder as it is now; what cannot be read counts as nothing.
CacheContent cacheContent();
/// Removes its kernels, as far as that is allowed, and says what is left. A compilation that goes on loses nothing but time.
CacheContent clearCache();

class KernelCache {
public:
    /// In the cache folder; of at most $LATHE_CACHE_SIZE bytes ("512M",
    /// "4G"), else 2 GiB. Off if `enabled` is false, or the code generator cannot be told from others.
    explicit KernelCache(bool enabled);

    std::string key(const tir::PrimFunc& lowered, const codegen::CodegenOptions& options) const;
    std::optional<std::vector<std::byte>> find(const std::string& key) const;
    void store(const std::string& key, const std::vector<std::byte>& object);

private:
    std::filesystem::path folder_; // empty: off
    int64_t limitBytes_ = 0;
    std::atomic<int64_t> storedBytes_ = 0; // since this swept
};

} // namespace lathe::driver
