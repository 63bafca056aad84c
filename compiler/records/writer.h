// SPDX-License-Identifier: Apache-2.0
//
// The statements of one transaction: rows go in beside or in the place of those of their names. For this folder alone.
#pragma once

#include "records/file.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

namespace lathe::records {

class Writer {
public:
    Writer(SQLite::Database& database, Existing existing);

    /// All trials and rounds of a task go.
    void clear(const std::string& study, const std::string& workload);
    void put(const Workload& row);
    void put(const Study& row);
    void put(const Task& row);
    void put(const Trial& row);
    /// Into the row of its trial.
    void put(const HeldTrial& row);
    void put(const Round& row);
    void put(const StudyGraph& row);
    void putModel(const std::string& key, const std::string& blob);

private:
    Existing existing_;
    SQLite::Statement clear_, clearRounds_, findWorkload_, findStudy_, findTask_, findTrial_, findRound_, findGraph_,
        putWorkload_, putStudy_, putTask_, putTrial_, putHeld_, putRound_, putGraph_, putModel_;
};

} // namespace lathe::records
