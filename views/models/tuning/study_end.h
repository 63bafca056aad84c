// SPDX-License-Identifier: GPL-3.0-or-later
//
// What came of a study: how the model with what it found runs against the model without, and what of that is to be used.
#pragma once

#include "driver/decisions.h"
#include "schedule/trace.h"
#include "tune/candidate.h"

#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace lathe::views::models {

/// A schedule that a study found for a task, by the task's workload.
struct FoundSchedule {
    schedule::ScheduleTrace trace;
    enum class InPlace : uint8_t {
        Unknown,
        Kept,
        TakenBack
    } inPlace = InPlace::Unknown; // held against the whole model
};

/// Variants, layouts and pairs to be kept apart that a study chose together.
struct FoundGraph {
    struct Choices {
        std::vector<driver::VariantDecision> variants;
        std::vector<driver::LayoutDecision> layouts;
        std::vector<driver::ApartDecision> apart;
        bool operator==(const Choices&) const = default;
    } before, found;
    std::set<std::string> workloadsBefore, workloads; // of the model's kernels under them
};
inline FoundGraph::Choices choicesOf(const driver::Decisions& decisions) {
    return {decisions.variants, decisions.layouts, decisions.apart};
}

struct StudyEnd {
    std::map<std::string, FoundSchedule> found;
    tune::Interval beforeMs,
        afterMs;          // of the whole model by turns: the median, the middle half of the runs; 0: not measured
    bool differs = false; // beyond the noise
    std::optional<FoundGraph> graph; // of what is to be used
    QStringList graphTexts;          // what came of variants, layouts and fusion, a sentence each
    QStringList leftOut;             // kernels over open sizes
    bool failed = false;             // it could not be begun, or not be measured
};

} // namespace lathe::views::models
