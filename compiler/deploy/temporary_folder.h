// SPDX-License-Identifier: Apache-2.0
//
// A folder in $TMPDIR that goes with the value.
#pragma once

#include "base/result.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace lathe::deploy {

class TemporaryFolder {
public:
    /// Fails where none can be made.
    static Result<TemporaryFolder> make() {
        const char* named = std::getenv("TMPDIR");
        const std::filesystem::path parent = named && *named ? named : "/tmp";
        std::string name = (parent / "lathe-bundle-XXXXXX").string();
        if (!mkdtemp(name.data()))
            return failure(fmt::format("no folder can be made in '{}'", parent.string()),
                           "set TMPDIR to a folder that is there and may be written to");
        TemporaryFolder folder;
        folder.path_ = name;
        return folder;
    }
    TemporaryFolder() = default; // none
    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!path_.empty())
            std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace lathe::deploy
