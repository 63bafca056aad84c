// SPDX-License-Identifier: Apache-2.0
//
// An anonymous file in memory that other code can open by a path: objects for the linker, artifacts that are run at once.
// It has no name in any folder that somebody could guess, needs no folder that may be written to or executed from, and
// the system takes it back when the last process that has it open ends, however it ends.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace lathe {

class MemoryFile {
public:
    /// `name` is for people who look at the process' open files.
    explicit MemoryFile(const char* name);
    MemoryFile(MemoryFile&& other) noexcept;
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile();

    /// Writes the bytes behind what is there. Fails where memory is short, or no file could be made.
    Result<void> append(std::span<const std::byte> bytes);
    /// /proc/PROCESS/fd/NUMBER: opens while this lives, in this process and others of the same user.
    std::filesystem::path path() const;

private:
    int descriptor_;
};

} // namespace lathe
