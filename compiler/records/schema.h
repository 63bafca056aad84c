// SPDX-License-Identifier: Apache-2.0
//
// The tables. What is best is no table but a view of the trials: nothing can be best that they do not say, and joining two
// files leaves nothing to be joined there. It takes what a paired test accepted and the whole model confirmed, which is said of
// each trial: a study may find a faster one later that the model was not asked about. Of those of one task the fastest has won
// against the others, whatever the upper ends of their ratios are.
#pragma once

#include <array>

namespace lathe::records {

inline constexpr int applicationId = 0x4c617452; // "LatR"
inline constexpr int schemaVersion = 4;

/// A statement, and the formats that have what it makes.
struct Part {
    int since, until;
    const char* sql;
    constexpr bool isIn(int format) const { return since <= format && format <= until; }
};

inline constexpr std::array schema = {
    Part{1, 4,
         "CREATE TABLE workload (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, family TEXT NOT NULL, target TEXT "
         "NOT NULL, kernel TEXT NOT NULL, text TEXT NOT NULL, flops REAL NOT NULL, bytes REAL NOT NULL)"},
    Part{1, 4,
         "CREATE TABLE study (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, model TEXT NOT "
         "NULL, model_hash TEXT NOT NULL, machine TEXT NOT NULL, threads INTEGER NOT NULL, numerics TEXT NOT NULL, "
         "search TEXT NOT NULL, program TEXT NOT NULL, started INTEGER NOT NULL, state TEXT NOT NULL)"},
    // Until format 2 it was of the task whether its fastest had been kept in the whole model.
    Part{
        1, 2,
        "CREATE TABLE task (id INTEGER PRIMARY KEY, study INTEGER NOT NULL REFERENCES study (id), workload INTEGER NOT "
        "NULL REFERENCES workload (id), calls REAL NOT NULL, seconds REAL NOT NULL, in_place TEXT NOT NULL, UNIQUE "
        "(study, workload))"},
    Part{
        3, 4,
        "CREATE TABLE task (id INTEGER PRIMARY KEY, study INTEGER NOT NULL REFERENCES study (id), workload INTEGER NOT "
        "NULL REFERENCES workload (id), calls REAL NOT NULL, seconds REAL NOT NULL, UNIQUE (study, workload))"},
    // Without when a trial was timed, and what was expected of it.
    Part{1, 1,
         "CREATE TABLE trial (id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES task (id), number INTEGER NOT "
         "NULL, program TEXT NOT NULL, answers TEXT NOT NULL, trace TEXT NOT NULL, made TEXT NOT NULL, parent TEXT NOT "
         "NULL, round INTEGER NOT NULL, verdict TEXT NOT NULL, message TEXT NOT NULL, us REAL NOT NULL, ratio_low REAL "
         "NOT NULL, ratio REAL NOT NULL, ratio_high REAL NOT NULL, accepted INTEGER NOT NULL, UNIQUE (task, program))"},
    Part{2, 2,
         "CREATE TABLE trial (id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES task (id), number INTEGER NOT "
         "NULL, program TEXT NOT NULL, answers TEXT NOT NULL, trace TEXT NOT NULL, made TEXT NOT NULL, parent TEXT NOT "
         "NULL, round INTEGER NOT NULL, verdict TEXT NOT NULL, message TEXT NOT NULL, us REAL NOT NULL, ratio_low REAL "
         "NOT NULL, ratio REAL NOT NULL, ratio_high REAL NOT NULL, accepted INTEGER NOT NULL, seconds REAL NOT NULL, "
         "prior REAL NOT NULL, predicted REAL, UNIQUE (task, program))"},
    Part{3, 4,
         "CREATE TABLE trial (id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES task (id), number INTEGER NOT "
         "NULL, program TEXT NOT NULL, answers TEXT NOT NULL, trace TEXT NOT NULL, made TEXT NOT NULL, parent TEXT NOT "
         "NULL, round INTEGER NOT NULL, verdict TEXT NOT NULL, message TEXT NOT NULL, us REAL NOT NULL, ratio_low REAL "
         "NOT NULL, ratio REAL NOT NULL, ratio_high REAL NOT NULL, accepted INTEGER NOT NULL, seconds REAL NOT NULL, "
         "prior REAL NOT NULL, predicted REAL, in_place TEXT NOT NULL, UNIQUE (task, program))"},
    Part{2, 4,
         "CREATE TABLE round (task INTEGER NOT NULL REFERENCES task (id), number INTEGER NOT NULL, opinion TEXT NOT "
         "NULL, asked INTEGER NOT NULL, count INTEGER NOT NULL, spearman REAL NOT NULL, told INTEGER NOT NULL, pairs "
         "REAL NOT NULL, recall1 REAL NOT NULL, recall5 REAL NOT NULL, recall16 REAL NOT NULL, peak5 REAL NOT NULL, "
         "PRIMARY KEY (task, number, opinion))"},
    Part{2, 4, "CREATE TABLE model (key TEXT PRIMARY KEY, blob BLOB NOT NULL)"},
    Part{2, 4,
         "CREATE TABLE stale (trial INTEGER PRIMARY KEY REFERENCES trial (id) ON DELETE CASCADE, program TEXT NOT "
         "NULL)"},
    // What a study chose in the graph.
    Part{4, 4,
         "CREATE TABLE graph (study INTEGER PRIMARY KEY REFERENCES study (id), given TEXT NOT NULL, found TEXT NOT "
         "NULL, workloads_before TEXT NOT NULL, workloads TEXT NOT NULL, schedules_ms REAL NOT NULL, whole_ms REAL NOT "
         "NULL)"},
    Part{1, 4, "CREATE INDEX task_of_workload ON task (workload)"},
    Part{1, 4, "CREATE INDEX trial_accepted ON trial (task, ratio_high) WHERE accepted = 1"},
    Part{1, 2,
         "CREATE VIEW best AS SELECT workload, machine, threads, numerics, trial FROM (SELECT task.workload AS "
         "workload, study.machine AS machine, study.threads AS threads, study.numerics AS numerics, trial.id AS trial, "
         "row_number() OVER (PARTITION BY task.workload, study.machine, study.threads, study.numerics ORDER BY "
         "trial.ratio_high, trial.program, study.uid) AS place FROM trial JOIN task ON task.id = trial.task JOIN study "
         "ON study.id = task.study WHERE trial.accepted = 1 AND trial.verdict = 'measured' AND task.in_place = 'kept' "
         "AND trial.ratio_high < 1) WHERE place = 1"},
    Part{3, 4,
         "CREATE VIEW best AS SELECT workload, machine, threads, numerics, trial FROM (SELECT task.workload AS "
         "workload, study.machine AS machine, study.threads AS threads, study.numerics AS numerics, trial.id AS trial, "
         "row_number() OVER (PARTITION BY task.workload, study.machine, study.threads, study.numerics ORDER BY "
         "trial.ratio_high, trial.program, study.uid) AS place FROM trial JOIN task ON task.id = trial.task JOIN study "
         "ON study.id = task.study WHERE trial.accepted = 1 AND trial.verdict = 'measured' AND trial.in_place = 'kept' "
         "AND trial.ratio_high < 1 AND NOT EXISTS (SELECT 1 FROM trial AS faster WHERE faster.task = trial.task AND "
         "faster.accepted = 1 AND faster.verdict = 'measured' AND faster.in_place = 'kept' AND faster.ratio_high < 1 "
         "AND "
         "(faster.ratio, faster.program) < (trial.ratio, trial.program))) WHERE place = 1"},
};

} // namespace lathe::records
