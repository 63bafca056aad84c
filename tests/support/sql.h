// SPDX-License-Identifier: Apache-2.0
//
// SQL in a database file itself, behind the back of what keeps it.
#pragma once

#include <filesystem>
#include <sqlite3.h>
#include <stdexcept>
#include <string>

namespace lathe::testing {

inline void executeSql(const std::filesystem::path& path, const char* sql) {
    sqlite3* database = nullptr;
    const bool done = sqlite3_open(path.c_str(), &database) == SQLITE_OK &&
                      sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
    sqlite3_close(database);
    if (!done)
        throw std::runtime_error(std::string("SQL fails: ") + sql);
}

} // namespace lathe::testing
