// SPDX-License-Identifier: Apache-2.0
//
// A row as a line of JSON, and back: lines.h has the form.
#pragma once

#include "records/rows.h"

#include <variant>

namespace lathe::records {

std::string lineOf(const Workload& row);
std::string lineOf(const Study& row);
std::string lineOf(const Task& row);
std::string lineOf(const Trial& row);
std::string lineOf(const Round& row);
std::string lineOf(const StudyGraph& row);

/// Lines of format 1 say of a task what later ones say of its trials: what came of its fastest in the model.
struct TaskLine {
    Task task;
    InPlace fastest = InPlace::Unknown;
};
using Row = std::variant<Workload, Study, TaskLine, Trial, Round, StudyGraph>;
/// Fails with which key is missing or cannot be.
Result<Row> parseRow(std::string_view line);

} // namespace lathe::records
