// SPDX-License-Identifier: Apache-2.0
//
// Which columns a row is made of, in one order for reading and writing, and how it is read from them. For this folder alone.
#pragma once

#include "records/rows.h"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

namespace lathe::records {

inline constexpr const char* workloadColumns = "workload.key, family, target, kernel, flops, bytes";
inline Workload workloadAt(SQLite::Statement& row, int at = 0) {
    Workload workload;
    workload.key = row.getColumn(at).getString();
    workload.family = row.getColumn(at + 1).getString();
    workload.target = row.getColumn(at + 2).getString();
    workload.kernel = row.getColumn(at + 3).getString();
    workload.flops = row.getColumn(at + 4).getDouble();
    workload.bytes = row.getColumn(at + 5).getDouble();
    return workload;
}

inline constexpr const char* studyColumns =
    "uid, name, model, model_hash, machine, threads, numerics, search, program, started, state";
inline Study studyAt(SQLite::Statement& row) {
    Study study;
    study.id = row.getColumn(0).getString();
    study.name = row.getColumn(1).getString();
    study.model = row.getColumn(2).getString();
    study.modelHash = row.getColumn(3).getString();
    study.setting = {row.getColumn(4).getString(), row.getColumn(5).getInt(), row.getColumn(6).getString()};
    study.search = row.getColumn(7).getString();
    study.program = row.getColumn(8).getString();
    study.started = row.getColumn(9).getInt64();
    study.state = named(row.getColumn(10).getString(), StudyState::Failed).value_or(StudyState::Failed);
    return study;
}

inline constexpr const char* taskColumns = "study.uid, workload.key, calls, seconds";
inline Task taskAt(SQLite::Statement& row) {
    return {.study = row.getColumn(0).getString(),
            .workload = row.getColumn(1).getString(),
            .calls = row.getColumn(2).getDouble(),
            .seconds = row.getColumn(3).getDouble()};
}

inline constexpr const char* trialColumns =
    "study.uid, workload.key, number, trial.program, answers, trace, made, parent, round, "
    "verdict, message, us, ratio_low, ratio, ratio_high, accepted, trial.seconds, prior, predicted, in_place";
inline Trial trialAt(SQLite::Statement& row, int at = 0) {
    return {.study = row.getColumn(at).getString(),
            .workload = row.getColumn(at + 1).getString(),
            .number = row.getColumn(at + 2).getInt64(),
            .program = row.getColumn(at + 3).getString(),
            .answers = row.getColumn(at + 4).getString(),
            .trace = row.getColumn(at + 5).getString(),
            .made = tune::madeOf(row.getColumn(at + 6).getString()).value_or(tune::Made::Recorded),
            .parent = row.getColumn(at + 7).getString(),
            .round = row.getColumn(at + 8).getInt(),
            .verdict = tune::verdictOf(row.getColumn(at + 9).getString()).value_or(tune::Verdict::RunError),
            .message = row.getColumn(at + 10).getString(),
            .us = row.getColumn(at + 11).getDouble(),
            .ratio = {row.getColumn(at + 12).getDouble(), row.getColumn(at + 13).getDouble(),
                      row.getColumn(at + 14).getDouble()},
            .accepted = row.getColumn(at + 15).getInt() != 0,
            .seconds = row.getColumn(at + 16).getDouble(),
            .prior = row.getColumn(at + 17).getDouble(),
            .predicted =
                row.getColumn(at + 18).isNull() ? std::nullopt : std::optional(row.getColumn(at + 18).getDouble()),
            .inPlace = named(row.getColumn(at + 19).getString(), InPlace::TakenBack).value_or(InPlace::Unknown)};
}

inline constexpr const char* roundColumns =
    "study.uid, workload.key, round.number, opinion, asked, count, spearman, told, "
    "pairs, recall1, recall5, recall16, peak5";
inline Round roundAt(SQLite::Statement& row) {
    tune::Quality quality;
    quality.count = static_cast<size_t>(row.getColumn(5).getInt64());
    quality.spearman = row.getColumn(6).getDouble();
    quality.pairs = {static_cast<size_t>(row.getColumn(7).getInt64()), row.getColumn(8).getDouble()};
    quality.recall1 = row.getColumn(9).getDouble();
    quality.recall5 = row.getColumn(10).getDouble();
    quality.recall16 = row.getColumn(11).getDouble();
    quality.peak5 = row.getColumn(12).getDouble();
    return {.study = row.getColumn(0).getString(),
            .workload = row.getColumn(1).getString(),
            .number = row.getColumn(2).getInt(),
            .of = row.getColumn(3).getString(),
            .asked = row.getColumn(4).getInt() != 0,
            .quality = quality};
}

inline constexpr const char* graphColumns =
    "study.uid, given, found, workloads_before, workloads, schedules_ms, whole_ms";
inline StudyGraph graphAt(SQLite::Statement& row) {
    return {.study = row.getColumn(0).getString(),
            .given = row.getColumn(1).getString(),
            .found = row.getColumn(2).getString(),
            .workloadsBefore = row.getColumn(3).getString(),
            .workloads = row.getColumn(4).getString(),
            .schedulesMs = row.getColumn(5).getDouble(),
            .wholeMs = row.getColumn(6).getDouble()};
}

inline constexpr const char* ofTask =
    "study JOIN task ON task.study = study.id JOIN workload ON workload.id = task.workload";

/// To the statement's parameters, in order.
template <class... Values>
void bindAll(SQLite::Statement& statement, const Values&... values) {
    int at = 0;
    const auto bind = [&](const auto& value) {
        if constexpr (requires { value.has_value(); }) {
            if (value.has_value())
                statement.bind(++at, *value);
            else
                statement.bind(++at);
        } else {
            statement.bind(++at, value);
        }
    };
    (bind(values), ...);
}

} // namespace lathe::records
