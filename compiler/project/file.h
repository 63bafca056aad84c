// SPDX-License-Identifier: Apache-2.0
//
// A project's file, `*.lathe`: an SQLite database with one table of facts. Writing is a transaction, so that whoever is killed
// on the way leaves the project of before; a file is written by one process at a time, which holds a lock on it for as long as
// it has it open. The format has a number; a file of a later one is refused, facts that are not known stay as they are. A
// file may come from anywhere: what is no project, damaged or larger than any project is refused before it is read.
#pragma once

#include "project/project.h"

#include <memory>

namespace lathe::project {

inline constexpr int64_t largestFile = int64_t{64} << 20; // bytes

class File {
public:
    /// Writes the project into a new file, in the place of one of that name once it is whole, and has it open. Fails if it
    /// cannot be written, or the one of that name is open elsewhere.
    static Result<File> create(const std::filesystem::path& path, const Project& project);
    /// Fails if it is no project, damaged, of a later format, or open elsewhere. What may not be written is open for reading.
    static Result<File> open(const std::filesystem::path& path);
    /// What stands in a file that is open elsewhere, likewise.
    static Result<Project> peek(const std::filesystem::path& path);
    /// Whether a program has it open for writing.
    static bool isOpen(const std::filesystem::path& path);
    File(File&&) noexcept;
    File& operator=(File&&) noexcept;
    ~File();

    const std::filesystem::path& path() const;
    bool isReadOnly() const;
    /// The model's path is absolute; where there is one at the same place beside the project as when it was written, that.
    Result<Project> read() const;
    /// All of it or nothing; on the disk when this returns. Fails where the disk is full, or it is read-only.
    Result<void> write(const Project& project);

private:
    struct State;
    explicit File(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace lathe::project
