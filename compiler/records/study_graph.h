// SPDX-License-Identifier: Apache-2.0
//
// What a study chose in the graph, out of the records and into them, and all that a study found as Decisions. What a file says
// is believed as little as any Decisions from outside: choices are read as those are, and anything beside them is an error.
#pragma once

#include "driver/decisions.h"
#include "records/file.h"

#include <optional>
#include <set>
#include <string>

namespace lathe::tuning {
struct Tuned;
}

namespace lathe::records {

/// A StudyGraph as values. Of the Decisions there are variants, layouts and what is apart alone.
struct GraphFound {
    driver::Decisions given, found;
    std::set<std::string> workloadsBefore, workloads;
};

/// Nothing where other choices than those of `given`, which it began with, were not faster in the whole model.
std::optional<StudyGraph> rowOf(const tuning::Tuned& tuned, const driver::Decisions& given);
/// Fails with what it has that are no choices, or no workloads.
Result<GraphFound> foundIn(const StudyGraph& row);

/// What a study found: its choices in the graph, and of each kernel under them the fastest schedule that the model kept.
struct StudyFound {
    driver::Decisions decisions;
    std::optional<StudyGraph> graph; // nothing: no other choices
};
Result<StudyFound> foundBy(const File& file, const std::string& study);

} // namespace lathe::records
