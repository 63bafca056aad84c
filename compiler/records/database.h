// SPDX-License-Identifier: Apache-2.0
//
// How a file of records is opened, and what SQLite's failures mean. For this folder alone.
#pragma once

#include "base/result.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <filesystem>
#include <memory>
#include <optional>

namespace lathe::records {

Failure failureOf(const std::filesystem::path& path, std::string what, std::string hint = {});
Failure failureOf(const std::filesystem::path& path, const SQLite::Exception& exception);

struct Opened {
    std::unique_ptr<SQLite::Database> database;
    std::optional<Diagnostic> warning; // it is of a later format
};
/// May throw SQLite's exceptions, too.
Result<Opened> openToRead(const std::filesystem::path& path);
Result<Opened> openToWrite(const std::filesystem::path& path);
Result<std::unique_ptr<SQLite::Database>> openInMemory();

/// Runs what may throw SQLite's exceptions.
template <class Work>
auto onDatabase(const std::filesystem::path& path, const Work& work) -> decltype(work()) {
    try {
        return work();
    } catch (const SQLite::Exception& exception) {
        return failureOf(path, exception);
    }
}

} // namespace lathe::records
