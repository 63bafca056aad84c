// SPDX-License-Identifier: Apache-2.0
//
// A file that is written whole or not at all: it gets its name when it is whole, so a process that is killed on the way
// leaves nothing behind, and nobody reads half of one.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace lathe {

/// A file without a name. Where the file system has no such files, one beside the wanted path, under a name that nobody can
/// guess. The file that a link leads to is replaced, and the link stays. A file that is replaced passes its mode on. What stands
/// at the wanted path and is no plain file (a device, a pipe, what a process has open by its /proc path) is written through, not
/// replaced.
class NewFile {
public:
    enum class Kind { Text, Program }; // a program may be executed

    NewFile(const std::filesystem::path& wanted, Kind kind);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    /// False: it failed, and so does all that follows; problem() says why.
    bool write(std::span<const std::byte> bytes);
    /// Zeros up to there.
    bool padTo(int64_t position);
    int64_t position() const { return written_; }
    /// Gives the file its name, in place of what had it.
    bool keep();
    /// Why the last step failed.
    Diagnostic problem() const;

private:
    void openNamed(int mode);
    bool linkTo(const std::string& name) const;
    bool linkToFresh();
    bool takeFreshName(const std::function<bool(const std::string&)>& take);
    bool noted(bool good);

    std::filesystem::path wanted_;
    std::string name_; // to be removed unless it is renamed; empty: the file has none
    int descriptor_ = -1;
    int64_t written_ = 0;
    int error_ = 0; // errno of what failed
    bool through_ = false;
};

} // namespace lathe
