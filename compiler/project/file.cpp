// SPDX-License-Identifier: Apache-2.0
#include "project/file.h"

#include "base/hash.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <charconv>
#include <climits>
#include <span>

namespace lathe::project {
namespace {

namespace fs = std::filesystem;

constexpr int applicationId = 0x4c617468; // "Lath": what file(1) and we know a project by
constexpr int formatNumber = 1;
constexpr int busyMs = 2000; // another process reads it
constexpr const char* openOther = "open a model, or a project that the workbench saved";
constexpr const char* keptPrefix = "kept.";
constexpr std::string_view longestSuffix = "-journal"; // that SQLite appends
constexpr const char* tableOfFacts = "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID";

Failure failureOf(const fs::path& path, std::string what, std::string hint = {}) {
    Diagnostic problem = error(std::move(what), std::move(hint));
    problem.file = path.string();
    return Failure(problem);
}

Failure failureOf(const fs::path& path, const SQLite::Exception& exception) {
    switch (exception.getExtendedErrorCode()) { // what says more than its kind
    case SQLITE_READONLY_DBMOVED:
        return failureOf(path, "the project's file was removed, or another took its place",
                         "save the work again, under this name or another one");
    case SQLITE_IOERR_WRITE:
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_TRUNCATE:
        return failureOf(path, "the file cannot be written", "see whether the disk has room and is in order");
    default:
        break;
    }
    switch (exception.getErrorCode()) {
    case SQLITE_NOTADB:
        return failureOf(path, "this is no project of Lathe", openOther);
    case SQLITE_CORRUPT:
        return failureOf(path, "the project is damaged", "take a copy of before, or save the work as a new project");
    case SQLITE_FULL:
        return failureOf(path, "the disk is full", "make room, or save the work elsewhere");
    case SQLITE_READONLY:
        return failureOf(path, "the project may not be written", "save it under another name");
    case SQLITE_BUSY:
        return failureOf(path, "another program works on the file", "close it there");
    case SQLITE_CANTOPEN:
        return failureOf(path, "the project cannot be opened", "see whether file and folder may be read and written");
    default:
        return failureOf(path, fmt::format("the project's file fails: {}", exception.what()));
    }
}

/// A lock that goes with the process, on a descriptor of its own: SQLite's locks last for a transaction.
class Lock {
public:
    Lock() = default;
    explicit Lock(const fs::path& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
            ::close(descriptor_);
            descriptor_ = -1;
        }
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() {
        if (descriptor_ >= 0)
            ::close(descriptor_);
    }
    bool held() const { return descriptor_ >= 0; }

private:
    int descriptor_ = -1;
};

/// Refuses what no project can be before a statement of ours meets it: views and triggers could be anything.
Result<void> check(const fs::path& path, SQLite::Database& database) {
    database.exec("PRAGMA trusted_schema = OFF");
    if (database.execAndGet("PRAGMA application_id").getInt() != applicationId)
        return failureOf(path, "this is no project of Lathe", openOther);
    const int format = database.execAndGet("PRAGMA user_version").getInt();
    if (format > formatNumber)
        return failureOf(path,
                         fmt::format("the project is of format {}, and this Lathe knows {}", format, formatNumber),
                         "open it with a newer Lathe");
    sqlite3_limit(database.getHandle(), SQLITE_LIMIT_LENGTH, static_cast<int>(largestFile));
    SQLite::Statement objects(database, "SELECT type, name, sql FROM sqlite_master");
    bool facts = false;
    while (objects.executeStep()) {
        const std::string type = objects.getColumn(0).getString(), name = objects.getColumn(1).getString();
        if (type == "table" && name == "facts" && objects.getColumn(2).getString() == tableOfFacts)
            facts = true;
        else
            return failureOf(path, fmt::format("the project holds a {} '{}' that is not of this format", type, name));
    }
    if (!facts || database.execAndGet("PRAGMA quick_check(1)").getString() != "ok")
        return failureOf(path, "the project is damaged", "take a copy of before, or save the work as a new project");
    return {};
}

bool isWritable(const fs::path& path) {
    return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

using Facts = std::map<std::string, std::string>;

Facts factsOf(const Project& project, const fs::path& file) {
    Facts facts;
    facts["model.path"] = project.model.path.string();
    facts["model.beside"] = project.model.path.lexically_relative(fs::absolute(file).parent_path()).string();
    facts["model.bytes"] = std::to_string(project.model.bytes);
    facts["model.hash"] = project.model.hash;
    facts["decisions"] = driver::toJson(project.decisions);
    for (const auto& [name, value] : project.kept)
        facts[keptPrefix + name] = value;
    return facts;
}

Project projectOf(Facts facts, const fs::path& file) {
    Project project;
    project.model.path = facts["model.path"];
    project.model.hash = facts["model.hash"];
    const std::string& bytes = facts["model.bytes"];
    std::from_chars(bytes.data(), bytes.data() + bytes.size(), project.model.bytes);
    std::error_code ignored;
    const fs::path beside = (fs::absolute(file).parent_path() / facts["model.beside"]).lexically_normal();
    if (!facts["model.beside"].empty() && fs::is_regular_file(beside, ignored))
        project.model.path = beside;
    for (auto& [name, value] : facts)
        if (name.starts_with(keptPrefix))
            project.kept[name.substr(std::string_view(keptPrefix).size())] = value;
    if (auto decisions = driver::parseDecisions(facts["decisions"])) {
        project.decisions = std::move(*decisions);
    } else { // all else of the work is not lost for it
        Diagnostic& problem = project.warnings.emplace_back(decisions.error());
        problem.severity = Severity::Warning;
        problem.file = file.string();
        problem.what = "the project's decisions cannot be read: " + problem.what;
        problem.hint = "it is open without them; decide anew what is missing";
        project.kept[unreadDecisions] = facts["decisions"];
    }
    return project;
}

Result<Project> readFrom(SQLite::Database& database, const fs::path& path) {
    Facts facts;
    SQLite::Statement rows(database, "SELECT name, value FROM facts");
    while (rows.executeStep())
        facts[rows.getColumn(0).getString()] = rows.getColumn(1).getString();
    return projectOf(std::move(facts), path);
}

void writeInto(SQLite::Database& database, const Facts& facts) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement put(database, "INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = "
                                    "excluded.value WHERE value <> excluded.value");
    for (const auto& [name, value] : facts) {
        put.bind(1, name);
        put.bind(2, value);
        put.exec();
        put.reset();
    }
    transaction.commit();
}

/// Runs what may throw SQLite's exceptions.
template <class Work>
auto onDatabase(const fs::path& path, const Work& work) -> decltype(work()) {
    try {
        return work();
    } catch (const SQLite::Exception& exception) {
        return failureOf(path, exception);
    }
}

Result<void> checkSize(const fs::path& path) {
    std::error_code unreadable;
    if (fs::exists(path, unreadable) && !fs::is_regular_file(path, unreadable))
        return failureOf(path, "this is no file");
    const auto bytes = fs::file_size(path, unreadable);
    if (unreadable)
        return failureOf(path, "the project cannot be read: " + unreadable.message());
    if (bytes > static_cast<uint64_t>(largestFile))
        return failureOf(path, "the file is larger than any project");
    return {};
}

} // namespace

struct File::State {
    fs::path path;
    bool readOnly = false;
    std::unique_ptr<Lock> lock; // before the database: it is let go of last
    std::unique_ptr<SQLite::Database> database;
};

File::File(std::unique_ptr<State> state) : state_(std::move(state)) {}
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;
File::~File() = default;

const fs::path& File::path() const {
    return state_->path;
}

bool File::isReadOnly() const {
    return state_->readOnly;
}

bool File::isOpen(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), R_OK) == 0 && !Lock(path).held();
}

Result<File> File::create(const fs::path& path, const Project& project) {
    if (isOpen(path))
        return failureOf(path, "the project is open in another window", "close it there, or choose another name");
    std::error_code ignored;
    if (const auto kind = fs::status(path, ignored).type();
        kind != fs::file_type::not_found && kind != fs::file_type::regular)
        return failureOf(path, "there is something here that is no file", "choose another name");
    const std::string name = path.filename().string();
    if (name.size() + longestSuffix.size() > NAME_MAX)
        return failureOf(path, "the name is too long", "choose a shorter one");
    const fs::path made = path.parent_path() / (toString(hashBytes(std::as_bytes(std::span(name)))) + ".new");
    fs::remove(made, ignored);
    const Result<void> written = onDatabase(path, [&]() -> Result<void> {
        SQLite::Database database(made.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, busyMs);
        database.exec(fmt::format("PRAGMA application_id = {}", applicationId));
        database.exec(fmt::format("PRAGMA user_version = {}", formatNumber));
        database.exec(tableOfFacts);
        writeInto(database, factsOf(project, path));
        return {};
    });
    if (written) {
        std::error_code failed;
        for (const char* journal :
             {"-journal", "-wal"}) // of a writer that was killed: it belongs to the file of before
            fs::remove(path.string() + journal, ignored);
        fs::rename(made, path, failed);
        if (!failed)
            return open(path);
        fs::remove(made, ignored);
        return failureOf(path, "the project cannot be written: " + failed.message());
    }
    fs::remove(made, ignored);
    return Failure(written.error());
}

Result<File> File::open(const fs::path& path) {
    LATHE_CHECKED(checkSize(path));
    auto state = std::make_unique<State>();
    state->path = path;
    state->readOnly =
        !isWritable(path) || !isWritable(fs::absolute(path).parent_path()); // its journal stands beside it
    state->lock = std::make_unique<Lock>(path);
    if (!state->lock->held() && !state->readOnly)
        return failureOf(path, "the project is open in another window", "close it there, or open a copy");
    LATHE_CHECKED(onDatabase(path, [&]() -> Result<void> {
        state->database = std::make_unique<SQLite::Database>(
            path.string(), state->readOnly ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE, busyMs);
        return check(path, *state->database);
    }));
    return File(std::move(state));
}

Result<Project> File::peek(const fs::path& path) {
    LATHE_CHECKED(checkSize(path));
    return onDatabase(path, [&]() -> Result<Project> {
        // What a writer that was killed left undone is undone first, which needs writing.
        SQLite::Database database(path.string(), isWritable(path) ? SQLite::OPEN_READWRITE : SQLite::OPEN_READONLY,
                                  busyMs);
        LATHE_CHECKED(check(path, database));
        return readFrom(database, path);
    });
}

Result<Project> File::read() const {
    return onDatabase(state_->path, [&] { return readFrom(*state_->database, state_->path); });
}

Result<void> File::write(const Project& project) {
    if (state_->readOnly)
        return failureOf(state_->path, "the project may not be written", "save it under another name");
    return onDatabase(state_->path, [&]() -> Result<void> {
        writeInto(*state_->database, factsOf(project, state_->path));
        return {};
    });
}

} // namespace lathe::project
