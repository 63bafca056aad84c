// SPDX-License-Identifier: Apache-2.0
#include "records/writer.h"

#include "records/row_columns.h"

#include <fmt/format.h>
#include <tuple>

namespace lathe::records {
namespace {

using SQLite::Statement;

// Of two rows of one name the greater one is taken, whichever comes first: so joining files gives the same in any order.

auto rank(const Workload& row) {
    return std::tie(row.kernel, row.flops, row.bytes, row.family, row.target);
}
auto rank(const Study& row) {
    return std::tuple(row.state != StudyState::Running, row.state, row.started, row.name, row.model, row.modelHash,
                      row.setting.machine, row.setting.threads, row.setting.numerics, row.search, row.program);
}
auto rank(const Task& row) {
    return std::tie(row.seconds, row.calls);
}
auto rank(const Trial& row) {
    const bool wrong = row.verdict == tune::Verdict::Wrong; // whoever has seen that is believed
    return std::tuple(wrong, row.accepted, row.inPlace, row.verdict, row.number, row.round, row.us, row.ratio.low,
                      row.ratio.middle, row.ratio.high, row.answers, row.trace, row.made, row.parent, row.message,
                      row.seconds, row.prior, row.predicted);
}

auto rank(const Round& row) {
    const tune::Quality& quality = row.quality;
    return std::tuple(row.asked, quality.count, quality.spearman, quality.pairs.count, quality.pairs.right,
                      quality.recall1, quality.recall5, quality.recall16, quality.peak5);
}

auto rank(const StudyGraph& row) {
    return std::tie(row.found, row.given, row.workloads, row.workloadsBefore, row.schedulesMs, row.wholeMs);
}

std::string taskIs(int study, int workload) {
    return fmt::format("study.uid = ?{} AND workload.key = ?{}", study, workload);
}

void run(Statement& statement) {
    statement.exec();
    statement.reset();
}

/// Whether what is there stays.
template <class Row, class Read, class... Keys>
bool keeps(Existing existing, const Row& row, Statement& find, const Read& read, const Keys&... keys) {
    if (existing == Existing::Replaced)
        return false;
    bindAll(find, keys...);
    const bool kept = find.executeStep() && rank(read(find)) >= rank(row);
    find.reset();
    return kept;
}

/// Of a trial that a study tries again: what the model kept is kept until the model is asked again, unless it is wrong now.
constexpr const char* keptStays =
    "CASE WHEN trial.in_place = 'kept' AND excluded.in_place = 'unknown' THEN trial.in_place ELSE excluded.in_place "
    "END WHERE NOT (trial.in_place = 'kept' AND excluded.accepted = 0 AND excluded.verdict IN ('measured', 'slow', "
    "'disturbed'))";

} // namespace

Writer::Writer(SQLite::Database& database, Existing existing)
    : existing_(existing),
      clear_(database,
             fmt::format("DELETE FROM trial WHERE task IN (SELECT task.id FROM {} WHERE {})", ofTask, taskIs(1, 2))),
      clearRounds_(database, fmt::format("DELETE FROM round WHERE task IN (SELECT task.id FROM {} WHERE {})", ofTask,
                                         taskIs(1, 2))),
      findWorkload_(database, fmt::format("SELECT {} FROM workload WHERE key = ?", workloadColumns)),
      findStudy_(database, fmt::format("SELECT {} FROM study WHERE uid = ?", studyColumns)),
      findTask_(database, fmt::format("SELECT {} FROM {} WHERE {}", taskColumns, ofTask, taskIs(1, 2))),
      findTrial_(database, fmt::format("SELECT {} FROM {} JOIN trial ON trial.task = task.id WHERE {} AND "
                                       "trial.program = ?3",
                                       trialColumns, ofTask, taskIs(1, 2))),
      findRound_(database, fmt::format("SELECT {} FROM {} JOIN round ON round.task = task.id WHERE {} AND "
                                       "round.number = ?3 AND opinion = ?4",
                                       roundColumns, ofTask, taskIs(1, 2))),
      findGraph_(database, fmt::format("SELECT {} FROM graph JOIN study ON study.id = graph.study WHERE study.uid = ?",
                                       graphColumns)),
      putWorkload_(database, "INSERT INTO workload (key, family, target, kernel, text, flops, bytes) VALUES (?, "
                             "?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET kernel = excluded.kernel, flops = "
                             "excluded.flops, bytes = excluded.bytes, family = excluded.family"),
      putStudy_(database,
                fmt::format("INSERT INTO study ({}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (uid) "
                            "DO UPDATE SET name = excluded.name, model = excluded.model, model_hash = "
                            "excluded.model_hash, machine = excluded.machine, threads = excluded.threads, "
                            "numerics = excluded.numerics, search = excluded.search, program = "
                            "excluded.program, started = excluded.started, state = excluded.state",
                            studyColumns)),
      putTask_(
          database,
          fmt::format("INSERT INTO task (study, workload, calls, seconds) SELECT study.id, workload.id, ?1, ?2 FROM "
                      "study, workload WHERE {} ON CONFLICT (study, workload) DO UPDATE SET calls = "
                      "excluded.calls, seconds = excluded.seconds",
                      taskIs(3, 4))),
      putTrial_(
          database,
          fmt::format(
              "INSERT INTO trial (task, number, program, answers, trace, made, parent, round, verdict, message, us, "
              "ratio_low, ratio, ratio_high, accepted, seconds, prior, predicted, in_place) SELECT task.id, ?1, ?2, "
              "?3, "
              "?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18 FROM {} WHERE {} ON CONFLICT (task, "
              "program) DO UPDATE SET number = "
              "excluded.number, answers = excluded.answers, trace = excluded.trace, made = excluded.made, parent = "
              "excluded.parent, round = excluded.round, verdict = excluded.verdict, message = excluded.message, us "
              "= excluded.us, ratio_low = excluded.ratio_low, ratio = excluded.ratio, ratio_high = "
              "excluded.ratio_high, accepted = excluded.accepted, seconds = excluded.seconds, prior = excluded.prior, "
              "predicted = excluded.predicted, in_place = {}",
              ofTask, taskIs(19, 20), existing == Existing::Replaced ? keptStays : "excluded.in_place")),
      putHeld_(database,
               fmt::format("UPDATE trial SET in_place = ?1 WHERE program = ?2 AND task IN (SELECT task.id FROM "
                           "{} WHERE {})",
                           ofTask, taskIs(3, 4))),
      putRound_(database,
                fmt::format("INSERT INTO round (task, number, opinion, asked, count, spearman, told, pairs, recall1, "
                            "recall5, recall16, peak5) SELECT task.id, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 "
                            "FROM {} WHERE {} ON CONFLICT (task, number, opinion) DO UPDATE SET asked = "
                            "excluded.asked, count = excluded.count, spearman = excluded.spearman, told = "
                            "excluded.told, pairs = excluded.pairs, recall1 = excluded.recall1, recall5 = "
                            "excluded.recall5, recall16 = excluded.recall16, peak5 = excluded.peak5",
                            ofTask, taskIs(12, 13))),
      putGraph_(database,
                "INSERT INTO graph (study, given, found, workloads_before, workloads, schedules_ms, whole_ms) SELECT "
                "study.id, ?1, ?2, ?3, ?4, ?5, ?6 FROM study WHERE study.uid = ?7 ON CONFLICT (study) DO UPDATE SET "
                "given = excluded.given, found = excluded.found, workloads_before = excluded.workloads_before, "
                "workloads = excluded.workloads, schedules_ms = excluded.schedules_ms, whole_ms = excluded.whole_ms"),
      putModel_(database, "INSERT INTO model (key, blob) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET blob = "
                          "excluded.blob") {}

void Writer::clear(const std::string& study, const std::string& workload) {
    bindAll(clear_, study, workload);
    run(clear_);
    bindAll(clearRounds_, study, workload);
    run(clearRounds_);
}

void Writer::put(const Workload& row) {
    if (keeps(existing_, row, findWorkload_, [](Statement& found) { return workloadAt(found); }, row.key))
        return;
    bindAll(putWorkload_, row.key, row.family, row.target, row.kernel, row.text, row.flops, row.bytes);
    run(putWorkload_);
}

void Writer::put(const Study& row) {
    if (keeps(existing_, row, findStudy_, studyAt, row.id))
        return;
    bindAll(putStudy_, row.id, row.name, row.model, row.modelHash, row.setting.machine, row.setting.threads,
            row.setting.numerics, row.search, row.program, row.started, std::string(toString(row.state)));
    run(putStudy_);
}

void Writer::put(const Task& row) {
    if (keeps(existing_, row, findTask_, taskAt, row.study, row.workload))
        return;
    bindAll(putTask_, row.calls, row.seconds, row.study, row.workload);
    run(putTask_);
}

void Writer::put(const Trial& row) {
    if (keeps(
            existing_, row, findTrial_, [](Statement& found) { return trialAt(found); }, row.study, row.workload,
            row.program))
        return;
    bindAll(putTrial_, row.number, row.program, row.answers, row.trace, std::string(tune::toString(row.made)),
            row.parent, row.round, std::string(tune::toString(row.verdict)), row.message, row.us, row.ratio.low,
            row.ratio.middle, row.ratio.high, static_cast<int>(row.accepted), row.seconds, row.prior, row.predicted,
            std::string(toString(row.inPlace)), row.study, row.workload);
    run(putTrial_);
}

void Writer::put(const HeldTrial& row) {
    bindAll(putHeld_, std::string(toString(row.inPlace)), row.program, row.study, row.workload);
    run(putHeld_);
}

void Writer::put(const Round& row) {
    if (keeps(existing_, row, findRound_, roundAt, row.study, row.workload, row.number, row.of))
        return;
    const tune::Quality& quality = row.quality;
    bindAll(putRound_, row.number, row.of, static_cast<int>(row.asked), static_cast<int64_t>(quality.count),
            quality.spearman, static_cast<int64_t>(quality.pairs.count), quality.pairs.right, quality.recall1,
            quality.recall5, quality.recall16, quality.peak5, row.study, row.workload);
    run(putRound_);
}

void Writer::put(const StudyGraph& row) {
    if (keeps(existing_, row, findGraph_, graphAt, row.study))
        return;
    bindAll(putGraph_, row.given, row.found, row.workloadsBefore, row.workloads, row.schedulesMs, row.wholeMs,
            row.study);
    run(putGraph_);
}

void Writer::putModel(const std::string& key, const std::string& blob) {
    putModel_.bind(1, key);
    putModel_.bind(2, blob.data(), static_cast<int>(blob.size()));
    run(putModel_);
}

} // namespace lathe::records
