// SPDX-License-Identifier: Apache-2.0
#include "records/database.h"

#include "records/schema.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <set>
#include <sqlite3.h>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lathe::records {
namespace {

namespace fs = std::filesystem;

constexpr int busyMs = 5000;           // another tuner writes
constexpr int longestValue = 64 << 20; // bytes
constexpr const char* damagedHint = "restore a copy, or move it away: tuning makes a new one";

Failure noRecords(const fs::path& path) {
    return failureOf(path, "this is no file of records", "name another one");
}

bool isWritable(const fs::path& path) {
    return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

std::set<std::string> objectsOf(SQLite::Database& database) {
    std::set<std::string> objects;
    SQLite::Statement rows(database, "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
    while (rows.executeStep())
        objects.insert(rows.getColumn(0).getString());
    return objects;
}

/// The statements that make a file of this format.
std::set<std::string> objectsOf(int format) {
    std::set<std::string> objects;
    for (const Part& part : schema)
        if (part.isIn(format))
            objects.insert(part.sql);
    return objects;
}

constexpr int asNow = 3; // since this format the tables of before have the columns of now

/// What the tables of an earlier format hold that have other columns now, by these. What came of a task in the whole model came
/// of the fastest that was accepted.
std::vector<std::pair<std::string, std::string>> tablesOf(int format) {
    if (format >= asNow)
        return {};
    return {
        {"task", "SELECT id, study, workload, calls, seconds FROM main.task"},
        {"trial",
         fmt::format("SELECT *, {}CASE WHEN accepted = 1 AND trial.id = (SELECT id FROM main.trial AS fastest WHERE "
                     "fastest.task = trial.task AND accepted = 1 AND verdict = 'measured' ORDER BY ratio, program "
                     "LIMIT 1) THEN (SELECT in_place FROM main.task WHERE task.id = trial.task) ELSE 'unknown' END "
                     "AS in_place FROM main.trial",
                     format == 1 ? "0 AS seconds, 0 AS prior, NULL AS predicted, " : "")}};
}

int formatIn(SQLite::Database& database) {
    return database.execAndGet("PRAGMA user_version").getInt();
}

/// Refuses what no file of records can be before a statement of ours meets it: views and triggers could be anything.
Result<std::optional<Diagnostic>> check(const fs::path& path, SQLite::Database& database) {
    database.exec("PRAGMA trusted_schema = OFF");
    sqlite3_limit(database.getHandle(), SQLITE_LIMIT_LENGTH, longestValue);
    if (database.execAndGet("PRAGMA application_id").getInt() != applicationId)
        return noRecords(path);
    const int version = formatIn(database);
    if (version > schemaVersion) {
        Diagnostic newer =
            failureOf(path,
                      fmt::format("the records are of format {}, and this Lathe knows {}", version, schemaVersion),
                      "they are read as far as that goes; a newer Lathe writes them")
                .error();
        newer.severity = Severity::Warning;
        return newer;
    }
    if (version < 1 || objectsOf(database) != objectsOf(version))
        return failureOf(path, "the records hold tables that are not of their format", damagedHint);
    return std::nullopt;
}

Result<void> checkIsFile(const fs::path& path) {
    std::error_code ignored;
    if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
        return failureOf(path, "this is no file", "name another one");
    return {};
}

void create(SQLite::Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    if (objectsOf(database).empty()) { // else another program was faster
        for (const Part& part : schema)
            if (part.isIn(schemaVersion))
                database.exec(part.sql);
        database.exec(fmt::format("PRAGMA application_id = {}", applicationId));
        database.exec(fmt::format("PRAGMA user_version = {}", schemaVersion));
    }
    transaction.commit();
}

/// Makes a file of an earlier format one of this: all or nothing. As it was it stays beside itself, in a copy that whoever has
/// an earlier program can use.
void migrate(const fs::path& path, SQLite::Database& database) {
    const int format = formatIn(database);
    const fs::path copy = fmt::format("{}.format{}", path.string(), format);
    std::error_code ignored;
    if (!fs::exists(copy, ignored)) {
        SQLite::Statement kept(database, "VACUUM INTO ?");
        kept.bind(1, copy.string());
        try {
            kept.exec();
        } catch (const SQLite::Exception&) {
            fs::remove(copy, ignored); // half a one
            throw;
        }
    }
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    if (formatIn(database) == format) { // else another program was faster
        // By a copy: a table that is renamed stands in the schema as no format has it.
        const auto tables = tablesOf(format);
        for (const auto& [name, rows] : tables)
            database.exec(fmt::format("CREATE TEMP TABLE moved_{} AS {}", name, rows));
        if (!tables.empty())
            for (const char* statement : {"DROP VIEW best", "DROP TABLE main.trial", "DROP TABLE main.task"})
                database.exec(statement);
        const std::set<std::string> there = objectsOf(database);
        for (const Part& part : schema)
            if (part.isIn(schemaVersion) && !there.contains(part.sql))
                database.exec(part.sql);
        for (const auto& [name, rows] : tables) {
            database.exec(fmt::format("INSERT INTO {0} SELECT * FROM moved_{0}", name));
            database.exec(fmt::format("DROP TABLE moved_{}", name));
        }
        database.exec(fmt::format("PRAGMA user_version = {}", schemaVersion));
    }
    transaction.commit();
}

/// Reading changes no file: what an earlier format has otherwise is there for this connection alone, as views of what it has,
/// or empty.
void pretend(SQLite::Database& database) {
    const int format = formatIn(database);
    if (format >= schemaVersion)
        return;
    constexpr std::string_view create = "CREATE ";
    database.exec("PRAGMA temp_store = MEMORY");
    const auto tables = tablesOf(format);
    for (const auto& [name, rows] : tables)
        database.exec(fmt::format("CREATE TEMP VIEW {} AS {}", name, rows));
    for (const Part& part : schema) {
        const std::string_view sql = std::string_view(part.sql).substr(create.size());
        const bool isView = std::ranges::any_of(
            tables, [&](const auto& table) { return sql.starts_with(fmt::format("TABLE {} ", table.first)); });
        if (part.isIn(schemaVersion) && !part.isIn(format) && !isView)
            database.exec(fmt::format("CREATE TEMP {}", sql));
    }
}

/// The name as SQLite reads it in a URI, of a file that nothing changes.
std::string unchangingUri(const fs::path& path) {
    std::string uri = "file:";
    for (const char c : fs::absolute(path).string())
        uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", c) : std::string(1, c);
    return uri + "?immutable=1";
}

} // namespace

Failure failureOf(const fs::path& path, std::string what, std::string hint) {
    Diagnostic problem = error(std::move(what), std::move(hint));
    problem.file = path.string();
    return Failure(problem);
}

Failure failureOf(const fs::path& path, const SQLite::Exception& exception) {
    switch (exception.getErrorCode()) {
    case SQLITE_NOTADB:
        return noRecords(path);
    case SQLITE_CORRUPT:
        return failureOf(path, "the records are damaged", damagedHint);
    case SQLITE_FULL:
        return failureOf(path, "the disk is full", "make room; the records are as they were");
    case SQLITE_IOERR:
        return failureOf(path, "reading or writing the records fails",
                         "see whether the disk is full or damaged; they are as they were");
    case SQLITE_READONLY:
        return failureOf(path, "the records may not be written", "name another file by --records");
    case SQLITE_BUSY:
        return failureOf(path, "another program works on the records", "try again when it is done");
    case SQLITE_CANTOPEN:
        return failureOf(path, "the records cannot be opened", "see whether file and folder may be read and written");
    default:
        return failureOf(path, fmt::format("the file of records fails: {}", exception.what()));
    }
}

Result<Opened> openToRead(const fs::path& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        return failureOf(path, "there are no records here", "lathe tune makes them");
    LATHE_CHECKED(checkIsFile(path));
    Opened opened;
    // A reader of a file with a log makes another one beside it, unless it may not.
    if (!isWritable(fs::absolute(path).parent_path()) && !fs::exists(path.string() + "-wal", ignored))
        opened.database =
            std::make_unique<SQLite::Database>(unchangingUri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI, busyMs);
    else
        opened.database =
            std::make_unique<SQLite::Database>(fs::absolute(path).string(), SQLite::OPEN_READONLY, busyMs);
    LATHE_TRY(opened.warning, check(path, *opened.database));
    pretend(*opened.database);
    return opened;
}

Result<Opened> openToWrite(const fs::path& path) {
    LATHE_CHECKED(checkIsFile(path));
    std::error_code ignored;
    fs::create_directories(fs::absolute(path).parent_path(), ignored);
    if (fs::exists(path, ignored) && !isWritable(path))
        return failureOf(path, "the records may not be written", "name another file by --records");
    Opened opened;
    opened.database = std::make_unique<SQLite::Database>(fs::absolute(path).string(), // ":memory:" would be no file
                                                         SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, busyMs);
    SQLite::Database& database = *opened.database;
    if (database.execAndGet("PRAGMA application_id").getInt() == 0 && objectsOf(database).empty())
        create(database);
    LATHE_TRY(const std::optional<Diagnostic> newer, check(path, database));
    if (newer)
        return failureOf(path, newer->what, "write them with a newer Lathe, or name another file by --records");
    if (database.execAndGet("PRAGMA quick_check(1)").getString() != "ok")
        return failureOf(path, "the records are damaged", damagedHint);
    if (formatIn(database) < schemaVersion)
        migrate(path, database);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = NORMAL");
    database.exec("PRAGMA foreign_keys = ON");
    return opened;
}

Result<std::unique_ptr<SQLite::Database>> openInMemory() {
    auto database = std::make_unique<SQLite::Database>(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    create(*database);
    return database;
}

} // namespace lathe::records
