// SPDX-License-Identifier: GPL-3.0-or-later
//
// What came of a study: how the model with what it found runs against the model without, and what of that is to be used.
#pragma once

#include "schedule/trace.h"

#include <QString>
#include <QStringList>
#include <map>
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

struct StudyEnd {
    std::map<std::string, FoundSchedule> found;
    double beforeMs = 0, afterMs = 0; // of the whole model, by turns; 0: not measured
    bool isFaster = false;            // beyond the noise
    QStringList leftOut;              // kernels over open sizes
    bool failed = false;              // it could not be begun, or not be measured
};

} // namespace lathe::views::models
