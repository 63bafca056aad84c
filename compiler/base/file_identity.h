// SPDX-License-Identifier: Apache-2.0
//
// Which bytes a path stood for: a file that is written anew, or replaced, has another identity.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

namespace lathe {

struct FileIdentity {
    uint64_t device = 0, inode = 0;
    int64_t bytes = -1, modifiedNs = 0, changedNs = 0; // bytes < 0: there is no such file

    bool operator==(const FileIdentity&) const = default;
};

FileIdentity identityOf(const std::filesystem::path& path);
/// Of an open file.
FileIdentity identityOf(int descriptor);

/// Files that something was made of, and what they were then.
using FileIdentities = std::vector<std::pair<std::filesystem::path, FileIdentity>>;

} // namespace lathe
