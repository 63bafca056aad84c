// SPDX-License-Identifier: Apache-2.0
#include "records/file.h"

#include "base/json.h"
#include "base/user_folder.h"
#include "base/version.h"
#include "records/database.h"
#include "records/row_columns.h"
#include "records/writer.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

namespace lathe::records {
namespace {

namespace fs = std::filesystem;
using SQLite::Statement;

constexpr int othersKept = 100; // of each task, when pruning: a cost model learns from bad ones too

/// Names of workloads as a StudyGraph lists them, under new ones.
std::string renamedIn(const std::string& list, const std::map<std::string, std::string>& names) {
    auto workloads = parseJson(list);
    if (!workloads || !workloads->is_array())
        return list; // a file may hold anything
    for (nlohmann::json& workload : *workloads)
        if (workload.is_string())
            if (const auto found = names.find(workload.get_ref<const std::string&>()); found != names.end())
                workload = found->second;
    return dump(*workloads);
}

} // namespace

fs::path defaultFile() {
    if (const char* own = std::getenv("LATHE_RECORDS"); own && *own)
        return own;
    const fs::path folder = userFolder(UserFolder::Data);
    return folder.empty() ? folder : folder / "records.db";
}

struct File::State {
    fs::path path;
    std::vector<Diagnostic> warnings;
    std::unique_ptr<SQLite::Database> database;

    /// What `read` makes of each row.
    template <class Read, class... Values>
    auto all(const std::string& query, const Read& read, const Values&... values) const {
        using Row = decltype(read(std::declval<Statement&>()));
        return onDatabase(path, [&]() -> Result<std::vector<Row>> {
            std::vector<Row> rows;
            Statement statement(*database, query);
            bindAll(statement, values...);
            while (statement.executeStep())
                rows.push_back(read(statement));
            return rows;
        });
    }
};

File::File(std::unique_ptr<State> state) : state_(std::move(state)) {}
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;
File::~File() = default;

const fs::path& File::path() const {
    return state_->path;
}

const std::vector<Diagnostic>& File::warnings() const {
    return state_->warnings;
}

Result<File> File::open(const fs::path& path, Access access) {
    LATHE_TRY(Opened opened,
              onDatabase(path, [&] { return access == Access::Read ? openToRead(path) : openToWrite(path); }));
    auto state = std::make_unique<State>();
    state->path = path;
    state->database = std::move(opened.database);
    if (opened.warning)
        state->warnings.push_back(std::move(*opened.warning));
    return File(std::move(state));
}

Result<File> File::inMemory(const fs::path& name) {
    auto state = std::make_unique<State>();
    state->path = name;
    LATHE_TRY(state->database, onDatabase(name, [] { return openInMemory(); }));
    return File(std::move(state));
}

Result<void> File::write(const Batch& batch, Existing existing) {
    return onDatabase(state_->path, [&]() -> Result<void> {
        SQLite::Transaction transaction(*state_->database, SQLite::TransactionBehavior::IMMEDIATE);
        {
            Writer writer(*state_->database, existing);
            for (const Workload& workload : batch.workloads)
                writer.put(workload);
            for (const Study& study : batch.studies)
                writer.put(study);
            for (const Task& task : batch.tasks)
                writer.put(task);
            for (const Trial& trial : batch.trials)
                writer.put(trial);
            for (const HeldTrial& held : batch.held)
                writer.put(held);
            for (const Round& round : batch.rounds)
                writer.put(round);
            for (const StudyGraph& graph : batch.graphs)
                writer.put(graph);
            for (const auto& [key, blob] : batch.models)
                writer.putModel(key, blob);
        }
        transaction.commit();
        return {};
    });
}

Result<int64_t> File::prune(int64_t keep) {
    return onDatabase(state_->path, [&]() -> Result<int64_t> {
        Statement remove(
            *state_->database,
            "WITH ranked AS (SELECT id, row_number() OVER (PARTITION BY task ORDER BY verdict = 'measured' "
            "DESC, ratio, program) AS fast, row_number() OVER (PARTITION BY task ORDER BY program) AS drawn "
            "FROM trial) DELETE FROM trial WHERE made <> 'default' AND accepted = 0 AND verdict IN "
            "('measured', 'slow') AND id IN (SELECT id FROM ranked WHERE fast > ?1 AND drawn > ?2)");
        bindAll(remove, keep, othersKept);
        const int64_t removed = remove.exec();
        state_->database->exec("VACUUM");
        return removed;
    });
}

Result<void> File::markStale(const Trial& trial, bool stale) {
    return onDatabase(state_->path, [&]() -> Result<void> {
        const std::string which = fmt::format("(SELECT trial.id FROM {} JOIN trial ON trial.task = task.id WHERE "
                                              "study.uid = ?1 AND workload.key = ?2 AND trial.program = ?3)",
                                              ofTask);
        Statement mark(*state_->database,
                       stale ? fmt::format("INSERT OR REPLACE INTO stale (trial, program) SELECT id, ?4 FROM {}", which)
                             : fmt::format("DELETE FROM stale WHERE trial IN {} AND program = ?4", which));
        bindAll(mark, trial.study, trial.workload, trial.program, std::string(base::version()));
        mark.exec();
        return {};
    });
}

Result<void> File::rename(const std::vector<std::pair<std::string, Workload>>& renamed) {
    return onDatabase(state_->path, [&]() -> Result<void> {
        SQLite::Transaction transaction(*state_->database, SQLite::TransactionBehavior::IMMEDIATE);
        const auto run = [&](const char* sql, const auto&... values) {
            Statement statement(*state_->database, sql);
            bindAll(statement, values...);
            statement.exec();
        };
        // First aside: a new key may be another's old one.
        for (const auto& [key, workload] : renamed)
            run("UPDATE workload SET key = 'aside ' || key WHERE key = ?", key);
        Writer writer(*state_->database, Existing::Compared);
        for (const auto& [key, workload] : renamed) {
            const std::string aside = "aside " + key;
            writer.put(workload);
            LATHE_TRY(const std::vector<Task> all, tasks());
            for (Task task : all) {
                if (task.workload != aside)
                    continue;
                const std::string study = task.study;
                task.workload = workload.key;
                writer.put(task);
                LATHE_TRY(std::vector<Trial> trials, trialsOf(study, aside));
                for (Trial& trial : trials) {
                    trial.workload = workload.key;
                    writer.put(trial);
                }
                LATHE_TRY(std::vector<Round> rounds, roundsOf(study, aside));
                for (Round& round : rounds) {
                    round.workload = workload.key;
                    writer.put(round);
                }
                writer.clear(study, aside);
            }
            run("DELETE FROM task WHERE workload IN (SELECT id FROM workload WHERE key = ?)", aside);
            run("DELETE FROM workload WHERE key = ?", aside);
        }
        std::map<std::string, std::string> names;
        for (const auto& [key, workload] : renamed)
            names[key] = workload.key;
        LATHE_TRY(const std::vector<StudyGraph> chosen, graphs());
        for (const StudyGraph& graph : chosen)
            run("UPDATE graph SET workloads_before = ?, workloads = ? WHERE study IN (SELECT id FROM study WHERE uid = "
                "?)",
                renamedIn(graph.workloadsBefore, names), renamedIn(graph.workloads, names), graph.study);
        transaction.commit();
        return {};
    });
}

Result<std::vector<Workload>> File::workloads() const {
    return state_->all(fmt::format("SELECT {}, text FROM workload ORDER BY key", workloadColumns), [](Statement& row) {
        Workload workload = workloadAt(row);
        workload.text = row.getColumn(6).getString();
        return workload;
    });
}

Result<std::vector<Study>> File::studies() const {
    return state_->all(fmt::format("SELECT {} FROM study ORDER BY started DESC, uid", studyColumns), studyAt);
}

Result<std::optional<Study>> File::newestLike(const Study& like) const {
    LATHE_TRY(
        const std::vector<Study> found,
        state_->all(fmt::format("SELECT {} FROM study WHERE model_hash = ?1 AND machine = ?2 AND threads = ?3 AND "
                                "numerics = ?4 AND ?5 IN ('', name) AND ?6 IN ('', uid) "
                                "ORDER BY started DESC, id DESC LIMIT 1",
                                studyColumns),
                    studyAt, like.modelHash, like.setting.machine, like.setting.threads, like.setting.numerics,
                    like.name, like.id));
    return found.empty() ? std::nullopt : std::optional(found.front());
}

Result<std::vector<Task>> File::tasks() const {
    return state_->all(fmt::format("SELECT {} FROM {} ORDER BY study.uid, workload.key", taskColumns, ofTask), taskAt);
}

Result<void> File::eachTrial(const std::function<void(const Trial&)>& each) const {
    return onDatabase(state_->path, [&]() -> Result<void> {
        Statement rows(*state_->database, fmt::format("SELECT {} FROM {} JOIN trial ON trial.task = task.id ORDER BY "
                                                      "study.uid, workload.key, number, trial.program",
                                                      trialColumns, ofTask));
        while (rows.executeStep())
            each(trialAt(rows));
        return {};
    });
}

Result<std::vector<Trial>> File::trialsOf(const std::string& study, const std::string& workload, Traces traces) const {
    std::string columns = trialColumns;
    if (traces == Traces::Leave)
        columns.replace(columns.find(" trace,"), 7, " '',");
    return state_->all(
        fmt::format("SELECT {} FROM {} JOIN trial ON trial.task = task.id WHERE study.uid = ? AND "
                    "workload.key = ? ORDER BY number, trial.program",
                    columns, ofTask),
        [](Statement& row) { return trialAt(row); }, study, workload);
}

Result<std::vector<Round>> File::rounds() const {
    return state_->all(fmt::format("SELECT {} FROM {} JOIN round ON round.task = task.id ORDER BY study.uid, "
                                   "workload.key, round.number, opinion",
                                   roundColumns, ofTask),
                       roundAt);
}

Result<std::vector<Round>> File::roundsOf(const std::string& study, const std::string& workload) const {
    return state_->all(fmt::format("SELECT {} FROM {} JOIN round ON round.task = task.id WHERE study.uid = ? AND "
                                   "workload.key = ? ORDER BY round.number, opinion",
                                   roundColumns, ofTask),
                       roundAt, study, workload);
}

Result<std::vector<StudyGraph>> File::graphs() const {
    return state_->all(
        fmt::format("SELECT {} FROM graph JOIN study ON study.id = graph.study ORDER BY study.uid", graphColumns),
        graphAt);
}

Result<std::optional<StudyGraph>> File::graphOf(const std::string& study) const {
    LATHE_TRY(std::vector<StudyGraph> found,
              state_->all(fmt::format("SELECT {} FROM graph JOIN study ON study.id = graph.study WHERE study.uid = ?",
                                      graphColumns),
                          graphAt, study));
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

Result<std::optional<std::string>> File::model(const std::string& key) const {
    LATHE_TRY(std::vector<std::string> found, state_->all(
                                                  "SELECT blob FROM model WHERE key = ?",
                                                  [](Statement& row) { return row.getColumn(0).getString(); }, key));
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

Result<std::string> File::traceOf(const std::string& study, const std::string& workload,
                                  const std::string& program) const {
    LATHE_TRY(const std::vector<std::string> found,
              state_->all(
                  fmt::format("SELECT trace FROM {} JOIN trial ON trial.task = task.id WHERE study.uid = ? AND "
                              "workload.key = ? AND trial.program = ?",
                              ofTask),
                  [](Statement& row) { return row.getColumn(0).getString(); }, study, workload, program));
    if (found.empty())
        return failureOf(state_->path, "the trial is not recorded any more", "open the study again");
    return found.front();
}

Result<std::vector<Best>> File::best(const Setting* setting) const {
    const std::string query = fmt::format(
        "SELECT {}, best.machine, best.threads, best.numerics, {}, stale.program IS NOT NULL FROM best JOIN "
        "trial ON trial.id = "
        "best.trial JOIN task ON task.id = trial.task JOIN study ON study.id = task.study JOIN workload ON "
        "workload.id = task.workload LEFT JOIN stale ON stale.trial = best.trial AND stale.program = ?1 {} "
        "ORDER BY workload.key, best.machine, best.threads, best.numerics",
        workloadColumns, trialColumns,
        setting ? "WHERE best.machine = ?2 AND best.threads = ?3 AND best.numerics = ?4" : "");
    const auto read = [](Statement& row) {
        Best best;
        best.workload = workloadAt(row);
        best.setting = {row.getColumn(6).getString(), row.getColumn(7).getInt(), row.getColumn(8).getString()};
        best.trial = trialAt(row, 9);
        best.stale = row.getColumn(row.getColumnCount() - 1).getInt() != 0;
        return best;
    };
    const std::string program(base::version());
    LATHE_TRY(std::vector<Best> found,
              setting ? state_->all(query, read, program, setting->machine, setting->threads, setting->numerics)
                      : state_->all(query, read, program));
    std::erase_if(found, [](const Best& best) { return !isPossible(best.trial); });
    return found;
}

Result<std::vector<std::string>> File::seedsFor(const Workload& workload, const Setting& setting, int most) const {
    // The columns beside min() are those of the row that has it: the fastest of each task.
    return state_->all(
        fmt::format(
            "SELECT answers, min(ratio_high), key = ?1 AS same, machine = ?2 AND threads = ?3 AS here, "
            "max(flops, ?4) / max(min(flops, ?4), 1) AS apart FROM {} JOIN trial ON trial.task = task.id WHERE "
            "family = ?5 AND target = ?6 AND numerics = ?7 AND accepted = 1 AND verdict = 'measured' AND in_place "
            "<> 'taken back' GROUP BY task.id ORDER BY same AND here DESC, same DESC, apart, min(ratio_high), "
            "trial.program LIMIT ?8",
            ofTask),
        [](Statement& row) { return row.getColumn(0).getString(); }, workload.key, setting.machine, setting.threads,
        workload.flops, workload.family, workload.target, setting.numerics, most);
}

Result<Stats> File::stats() const {
    return onDatabase(state_->path, [&]() -> Result<Stats> {
        const auto number = [&](const char* query) { return state_->database->execAndGet(query).getInt64(); };
        Stats stats;
        stats.format = static_cast<int>(number("PRAGMA user_version"));
        stats.bytes = number("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()");
        stats.workloads = number("SELECT count(*) FROM workload");
        stats.studies = number("SELECT count(*) FROM study");
        stats.tasks = number("SELECT count(*) FROM task");
        stats.best = number("SELECT count(*) FROM best");
        Statement verdicts(*state_->database, "SELECT verdict, count(*) FROM trial GROUP BY verdict ORDER BY verdict");
        while (verdicts.executeStep())
            stats.trials.emplace_back(verdicts.getColumn(0).getString(), verdicts.getColumn(1).getInt64());
        return stats;
    });
}

Result<std::vector<std::string>> File::problems() const {
    LATHE_TRY(std::vector<std::string> found,
              state_->all("PRAGMA integrity_check", [](Statement& row) { return row.getColumn(0).getString(); }));
    std::erase(found, "ok");
    LATHE_TRY(const std::vector<std::string> dangling, state_->all("PRAGMA foreign_key_check", [](Statement& row) {
        return fmt::format("a row of '{}' names one of '{}' that is not there", row.getColumn(0).getString(),
                           row.getColumn(2).getString());
    }));
    found.insert(found.end(), dangling.begin(), dangling.end());
    return found;
}

} // namespace lathe::records
