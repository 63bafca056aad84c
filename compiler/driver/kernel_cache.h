// SPDX-License-Identifier: Apache-2.0
//
// Compiled kernels on disk, by the hash of all they are made of: lowered text, target, Lathe's build. A missing or
// unwritable folder only means that nothing is kept.
#pragma once

#include "base/target.h"
#include "tir/ir.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace lathe::driver {

class KernelCache {
public:
    /// In $LATHE_CACHE, else $XDG_CACHE_HOME/lathe, else ~/.cache/lathe.
    explicit KernelCache(bool enabled);
    std::string key(const tir::PrimFunc& lowered, const Target& target) const;
    std::optional<std::vector<std::byte>> find(const std::string& key) const;
    void store(const std::string& key, const std::vector<std::byte>& object) const;

private:
    std::filesystem::path folder_; // empty: off
};

} // namespace lathe::driver
